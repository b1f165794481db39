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

const render = (value: Value): string => {
  if (Array.isArray(value)) return value.map(render).join('');
  if (typeof value === 'object') return (value as Html).markup;
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
};

/** A template whose values are escaped, so that a hostile token name stays a name. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const markup = parts.reduce((text, part, index) => text + render(values[index - 1]!) + part);
  return { markup, toString: () => markup };
}

/** A whole page in the one style of the explorer. */
export const page = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Mintmark</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 60rem;
            margin: 2rem auto;
            padding: 0 1rem;
            color: #1d2433;
          }
          table {
            border-collapse: collapse;
            width: 100%;
          }
          th,
          td {
            text-align: left;
            padding: 0.4rem 0.8rem 0.4rem 0;
            border-bottom: 1px solid #e3e6ee;
            vertical-align: top;
          }
          th {
            white-space: nowrap;
            color: #5b6478;
            font-weight: 600;
          }
          code {
            overflow-wrap: anywhere;
          }
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
