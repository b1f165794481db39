import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

/* docs/reliability.md: what broke the first engine, and the test of each. */

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const [, table] = /<!-- begin of the first engine -->([^]*)<!-- end of the first engine -->/.exec(
  read('docs/reliability.md'),
)!;
const rows = table!
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2);

/** The tests that a row names: a file, and titles of it. */
const testsOf = (row: string): { file: string; title: string }[] =>
  [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)`: ((?:“[^”]+”(?:, )?)+)/g)].flatMap(([, file, titles]) =>
    [...titles!.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ file: file!, title: title! })),
  );

test('every row names a test', () => {
  expect(rows).toHaveLength(21);
  expect(rows.filter((row) => testsOf(row).length === 0)).toEqual([]);
});

test.each(rows.flatMap(testsOf))('$file has “$title”', ({ file, title }) => {
  const source = read(file);
  expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
});
