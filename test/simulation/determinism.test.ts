import { describe, expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const REQUESTS = ['--requests', '8'];

describe('a simulated world', () => {
  test('is the same to the byte for the same seed, whatever ran before it in the process', async () => {
    const together = await runSeeds('--seed', '1', '--seeds', '3', ...REQUESTS);
    const [alone] = await runSeeds('--seed', '3', ...REQUESTS);
    expect(alone!.digest).toBe(together[2]!.digest);
    expect(new Set(together.map(({ digest }) => digest)).size).toBe(3);
  }, 180_000);

  test('keeps every promise in the worlds of a few seeds', async () => {
    const outcomes = await runSeeds('--seed', '4', '--seeds', '3', ...REQUESTS);
    expect(outcomes.flatMap(({ violations }) => violations)).toEqual([]);
    expect(outcomes.map(({ requests }) => requests)).toEqual([8, 8, 8]);
  }, 180_000);
});
