import { expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

/** Of each of two processes. */
const SEEDS = 10;

test('no promise is broken in the worlds of twenty seeds', async () => {
  const run = (first: number) => runSeeds('--seed', String(first), '--seeds', String(SEEDS));
  const outcomes = (await Promise.all([run(1), run(1 + SEEDS)])).flat();
  expect(outcomes).toHaveLength(2 * SEEDS);
  expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
}, 3_600_000);
