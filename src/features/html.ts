import { createHash } from 'node:crypto';

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

/** Colours that both pages share, by day and by night, and what every element begins with. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #fff; --line: #dfe3ea; --text: #1b2130; --quiet: #5a6479; --link: #1f5fbf;
  --good: #17693a; --good-ground: #dff3e6; --bad: #a02118; --bad-ground: #fbe4e1; --mild: #6b5200; --mild-ground: #f7edcf;
  --brand: #0f766e; --brand-text: #fff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12151b; --card: #1b2029; --line: #313948; --text: #e6e9f0; --quiet: #9aa5b8; --link: #82b1ff;
    --good: #86dba6; --good-ground: #173524; --bad: #ff9f95; --bad-ground: #46201d; --mild: #e9cf7d; --mild-ground: #3b3113;
    --brand: #5eead4; --brand-text: #06302b;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover, p a, li a { text-decoration: underline; }
code { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
`;

/**
 * The mark of the service: a minted coin. Its colours are those of the brand by day, which a dark tab bar shows as
 * well.
 */
export const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="#0f766e"/><circle cx="16" cy="16" r="11.5" fill="none" stroke="#5eead4" stroke-width="1.5"/><path d="M10 21.5v-11l6 7 6-7v11" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** The same as a data URL. */
export const ICON = `data:image/svg+xml;base64,${Buffer.from(FAVICON).toString('base64')}`;

/**
 * What a page may do: show its own style and pictures within the page, and send its form to this server. No script
 * runs, and nothing is loaded from anywhere.
 */
export function contentPolicy(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * A whole page.
 * @param style whose hash stands in the page's `contentPolicy`
 * @param description for search engines and previews of links; none where a page is about one thing of the chain
 */
export function page(title: string, style: string, body: Html, description?: string): Html {
  const element: Html = { markup: `<style>${style}</style>` };
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="${ICON}" />
        <title>${title}</title>
        ${description === undefined ? [] : html`<meta name="description" content="${description}" />`}
        ${element}
      </head>
      <body>
        ${body}
      </body>
    </html>`;
}
