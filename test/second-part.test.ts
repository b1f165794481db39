import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PAIRS, SECOND_PART, secondPart } from '../scripts/bootstrap/second-part.js';

const suites = globSync('**/*.test.ts', { cwd: import.meta.dirname });
const isInSecond = (suite: string): boolean => new RegExp(secondPart).test(`/clone/test/${suite}`);

test('what `npm test` leaves to `npm run test:all` is there, and named once', () => {
  expect(new Set(SECOND_PART).size).toBe(SECOND_PART.length);
  const isThere = (name: string): boolean =>
    suites.some((suite) => (name.endsWith('/') ? suite.startsWith(name) : suite === `${name}.test.ts`));
  expect(SECOND_PART.filter((name) => !isThere(name))).toEqual([]);
});

test.each(PAIRS)('what %s shows at length is shown in `npm test` too', (suite, others) => {
  expect(isInSecond(`${suite}.test.ts`)).toBe(true);
  expect(others.length).toBeGreaterThan(0);
  for (const other of others) {
    expect(suites).toContain(`${other}.test.ts`);
    expect([other, isInSecond(`${other}.test.ts`)]).toEqual([other, false]);
  }
});

test('no suite of `npm test` opens a browser', () => {
  const inBrowser = suites.filter((suite) =>
    /\bopen(Chromium|ConsoleSuite)\(/.test(readFileSync(path.join(import.meta.dirname, suite), 'utf8')),
  );
  expect(inBrowser.length).toBeGreaterThan(10);
  expect(inBrowser.filter((suite) => !isInSecond(suite))).toEqual([]);
});
