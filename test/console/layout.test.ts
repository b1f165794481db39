import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = 'packages/console/src';
const MAX_LINES = 300;

/**
 * What each folder may import of the others; `main` is what lies in none of them. Beside them, generated types alone.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  api: [],
  parts: ['api'],
  shell: ['api', 'parts'],
  pages: ['api', 'parts', 'shell'],
  main: ['api', 'parts', 'shell', 'pages'],
};

/** Outside of the console: types of the contract, and which of its writes take no Idempotency-Key. */
const OUTSIDE = ['generated/api.ts', 'packages/client/src/keyless.ts'];

interface Source {
  file: string;
  text: string;
}

/** `pages/keys/create-key.tsx` is of `pages/keys`. */
function areaOf(file: string): string {
  const [area = '', page = ''] = path.relative(ROOT, file).split('/');
  if (!(area in MAY_IMPORT)) return 'main';
  return area === 'pages' && !page.includes('.') ? `pages/${page}` : area;
}

function findFaults({ file, text }: Source): string[] {
  const imports = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, to]) =>
    path.normalize(path.join(path.dirname(file), to!)),
  );
  return imports.flatMap((to) => {
    const fault = (why: string): string[] => [`${file} imports ${to}: ${why}`];
    if (!to.startsWith(`${ROOT}/`)) return OUTSIDE.includes(to) ? [] : fault('it is outside of the console');
    const [from, target] = [areaOf(file), areaOf(to)];
    if (from === target) return [];
    if (target.startsWith('pages/') && from.startsWith('pages'))
      return fault('pages do not import each other');
    const kind = (area: string): string => area.split('/')[0]!;
    return MAY_IMPORT[kind(from)]!.includes(kind(target)) || kind(from) === kind(target)
      ? []
      : fault(`${kind(from)} does not know ${kind(target)}`);
  });
}

const checkName = ({ file }: Source): string[] =>
  /^[a-z0-9/]+([-/.][a-z0-9]+)*\.(tsx?|css)$/.test(file) ? [] : [`${file} is not in kebab-case`];

function checkLength({ file, text }: Source): string[] {
  const { length } = text.trimEnd().split('\n');
  return length > MAX_LINES ? [`${file} has ${length} lines: divide it by subject`] : [];
}

/** The policy of the page refuses these, or a linter of markup would. */
const checkText = ({ file, text }: Source): string[] => [
  ...(/dangerouslySetInnerHTML|\.innerHTML\b|\beval\(/.test(text) ? [`${file} writes markup by hand`] : []),
  ...(/https?:\/\/(?!127\.0\.0\.1|[\w.-]+\.example\b)/.test(text.replaceAll('http://www.w3.org/2000/svg', ''))
    ? [`${file} names another host`]
    : []),
];

describe('the layout of packages/console', () => {
  const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|css)$/.test(name))
    .map((name) => path.posix.join(ROOT, name))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));

  test('every file is checked', () => expect(sources.length).toBeGreaterThan(50));

  test('imports point down only, and no page imports another one', () => {
    expect(sources.flatMap(findFaults)).toEqual([]);
  });

  test('no file has too many lines, and each is in kebab-case', () => {
    expect(sources.flatMap((source) => [...checkLength(source), ...checkName(source)])).toEqual([]);
  });

  test('no markup by hand, and no other host', () => {
    expect(sources.flatMap(checkText)).toEqual([]);
  });

  test.each([
    ['api/a.ts', `import { x } from '../parts/when.tsx';`],
    ['parts/a.tsx', `import { x } from '../shell/shell.tsx';`],
    ['pages/keys/a.tsx', `import { x } from '../usage/usage-page.tsx';`],
    ['pages/keys/a.tsx', `import { x } from '../../../../../src/errors.ts';`],
    ['shell/a.tsx', `const x = import('../pages/keys/keys-page.tsx');`],
  ])('finds a fault in %s: %s', (name, text) => {
    expect(findFaults({ file: `${ROOT}/${name}`, text })).toHaveLength(1);
  });

  test.each([`<p dangerouslySetInnerHTML={x} />`, `const url = 'https://fonts.googleapis.com/css2';`])(
    'finds a fault in the text %s',
    (text) => expect(checkText({ file: 'a.tsx', text })).toHaveLength(1),
  );
});
