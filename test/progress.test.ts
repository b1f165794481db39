import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createProgress } from '../scripts/lib/progress.ts';

let now = 0;

beforeEach(() => {
  now = 5_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** The output when progress is reported after each of these delays in milliseconds. */
function watch(isTTY: boolean, steps: readonly number[]): string {
  let written = '';
  const progress = createProgress({
    isTTY,
    write: (text: string) => ((written += text), true),
    cursorTo: () => ((written += '<'), true),
    clearLine: () => ((written += '#'), true),
  });
  for (const [index, step] of steps.entries()) {
    now += step;
    progress.report(() => `${index} done`);
  }
  progress.end();
  return written;
}

test('short work shows no progress', () => {
  expect(watch(false, [0, 1_000, 999])).toBe('');
  expect(watch(true, [0, 1_000, 999]).replace('<#', '')).toBe('');
});

test('a terminal shows one line, which is erased at the end', () => {
  expect(watch(true, [0, 2_000, 100, 150])).toBe('<#1 done<#3 done<#');
});

test('other outputs get a line at intervals', () => {
  expect(watch(false, [60_000, 2_000, 14_000, 1_000, 1_000])).toBe('1 done\n3 done\n');
});
