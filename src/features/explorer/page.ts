import { contentPolicy, html, page } from '../html.ts';
import type { Html } from '../html.ts';
import { STYLE } from './style.ts';

export const CONTENT_POLICY = contentPolicy(STYLE);

/** A whole page in the one style of the explorer. @param root path of the service, without a slash at its end */
export function explorerPage(root: string, title: string, content: Html): Html {
  const base = `${root}/explorer`;
  return page(
    `${title} · Mintmark`,
    STYLE,
    html`<header>
        <a class="brand" href="${base}">Mintmark explorer</a>
        <nav><a href="${root}/">Start</a> <a href="${root}/docs">Docs</a></nav>
        <form action="${base}">
          <input name="q" aria-label="Transaction hash or address" placeholder="Transaction or address" />
          <button>Find</button>
        </form>
      </header>
      <main>
        <h1><bdi>${title}</bdi></h1>
        ${content}
      </main>`,
  );
}
