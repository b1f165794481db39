import { describe, expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const SEEDS = 20;

describe('a simulated world', () => {
  test('is the same to the byte for the same seed, whatever ran before it in the process', async () => {
    const half = SEEDS / 2;
    const run = (seed: number, seeds: number) => runSeeds('--seed', String(seed), '--seeds', String(seeds));
    const runHalves = async () => [...(await run(1, half)), ...(await run(half + 1, half))];
    const [all, halves] = await Promise.all([run(1, SEEDS), runHalves()]);
    const digests = (outcomes: typeof all): string[] => outcomes.map(({ digest }) => digest);
    expect(digests(halves)).toEqual(digests(all));
    expect(new Set(digests(all)).size).toBe(SEEDS);
  }, 3_600_000);

  test('ends where it is told to', async () => {
    expect(await runSeeds('--seed', '1', '--until', '500')).toEqual([]);
  });
});
