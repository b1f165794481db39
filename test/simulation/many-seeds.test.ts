import { expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const SEEDS = Number(process.env['SIMULATED_SEEDS'] ?? 60);
/** Of one process. */
const PART = 30;

test('no promise is broken in the worlds of many seeds', async () => {
  for (let seed = 1; seed <= SEEDS; seed += PART) {
    const count = Math.min(PART, SEEDS - seed + 1);
    const outcomes = await runSeeds('--seed', String(seed), '--seeds', String(count));
    const broken = outcomes.filter(({ violations }) => violations.length > 0);
    expect(broken.map(({ seed: which, violations }) => ({ seed: which, violations }))).toEqual([]);
  }
}, 7_200_000);
