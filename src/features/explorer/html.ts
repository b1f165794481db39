import { createHash } from 'node:crypto';
import { STYLE } from './style.ts';

/** Markup whose values were escaped. */
export interface Html {
  toString(): string;
  readonly markup: string;
}

type Value = string | number | bigint | Html | readonly Html[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(value: Value): string {
  if (Array.isArray(value)) return value.map(render).join('');
  if (typeof value === 'object') return (value as Html).markup;
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A template whose values are escaped, so that a hostile token name stays a name. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const markup = parts.reduce((text, part, index) => text + render(values[index - 1]!) + part);
  return { markup, toString: () => markup };
}

/**
 * What a page of the explorer may do: show its own style and pictures within the page, and send its form to this server.
 * No script runs, and nothing is loaded from anywhere.
 */
export const CONTENT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const STYLE_ELEMENT: Html = { markup: `<style>${STYLE}</style>` };

/** A whole page in the one style of the explorer. @param base path of the explorer, without a slash at its end */
export function page(base: string, title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${title} · Mintmark</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>
          <a class="brand" href="${base}">Mintmark explorer</a>
          <form action="${base}">
            <input name="q" aria-label="Transaction hash or address" placeholder="Transaction or address" />
            <button>Find</button>
          </form>
        </header>
        <main>
          <h1><bdi>${title}</bdi></h1>
          ${content}
        </main>
      </body>
    </html>`;
}
