import { expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const SEEDS = 20;

test('no promise is broken in the worlds of twenty seeds', async () => {
  // In one process: each takes the CPU of three worlds to load and compile what a world is made of.
  const outcomes = await runSeeds('--seed', '1', '--seeds', String(SEEDS));
  expect(outcomes).toHaveLength(SEEDS);
  expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
}, 3_600_000);
