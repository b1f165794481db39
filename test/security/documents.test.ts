import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const root = path.join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, part]) => part!);

test('docs/dependencies.md has a row for every package that the service runs with, and no other', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const firstCells = found(read('docs/dependencies.md'), /^\| (`[^|]+`) +\|/gm);
  const named = firstCells.flatMap((cell) => found(cell, /`([^`]+)`/g));
  expect(named.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(optionalDependencies)].sort());
});

test('every test that docs/security.md names exists, and every risk of the OWASP list has one', () => {
  const text = read('docs/security.md');
  const tests = found(text, /`(test\/[\w./-]+)`/g);
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  const rows = text.split('\n').filter((line) => /^\| API\d+ /.test(line));
  expect(rows.map((row) => /API\d+/.exec(row)![0])).toEqual(
    Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
  );
  expect(rows.filter((row) => !row.includes('`test/'))).toEqual([]);
});
