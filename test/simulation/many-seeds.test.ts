import { describe, expect, test } from '@jest/globals';
import { brokenOf, runMany } from './many-seeds.ts';
import { runSeeds } from './run.ts';
import type { SeedOutcome } from './run.ts';

const TWICE = 20;

describe('the worlds of 140 seeds', () => {
  let outcomes: SeedOutcome[] = [];

  test('break no promise', async () => {
    outcomes = await runMany(1, 140);
    expect(brokenOf(outcomes)).toEqual([]);
  }, 7_200_000);

  test('are the same to the byte a second time, whatever ran before in the process', async () => {
    const [half, digests] = [
      TWICE / 2,
      (worlds: readonly SeedOutcome[]) => worlds.map(({ digest }) => digest),
    ];
    const again = [...(await runMany(1, half)), ...(await runMany(half + 1, TWICE))];
    expect(digests(again)).toEqual(digests(outcomes.slice(0, TWICE)));
    expect(new Set(digests(outcomes)).size).toBe(outcomes.length);
  }, 3_600_000);

  test('end where they are told to', async () => {
    expect(await runSeeds('--seed', '1', '--until', '500')).toEqual([]);
  });
});
