import { describe, expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const SEEDS = 20;
const REQUESTS = ['--requests', '6'];

describe('a simulated world', () => {
  test('is the same to the byte for the same seed, whatever ran before it in the process', async () => {
    const all = await runSeeds('--seed', '1', '--seeds', String(SEEDS), ...REQUESTS);
    const half = SEEDS / 2;
    const second = await runSeeds('--seed', String(half + 1), '--seeds', String(half), ...REQUESTS);
    const first = await runSeeds('--seed', '1', '--seeds', String(half), ...REQUESTS);
    const digests = (outcomes: typeof all): string[] => outcomes.map(({ digest }) => digest);
    expect(digests([...first, ...second])).toEqual(digests(all));
    expect(new Set(digests(all)).size).toBe(SEEDS);
    expect(all.flatMap(({ violations }) => violations)).toEqual([]);
  }, 1_200_000);

  test('ends where it is told to', async () => {
    expect(await runSeeds('--seed', '1', '--until', '500')).toEqual([]);
  });
});
