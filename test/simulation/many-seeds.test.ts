import { expect, test } from '@jest/globals';
import { runSeeds } from './run.ts';

const SEEDS = Number(process.env['SIMULATED_SEEDS'] ?? 36);
/** Of one process. */
const PART = 36;

/** Seeds that break a promise today, and how. Each goes when it is mended: the test fails when it is sound. */
const OPEN: Readonly<Record<number, string>> = {
  30: 'what a failover lost: an approval that was told to have failed has its effect (the third design of the engine, part 1)',
  36: 'a deployment is refused with DEPLOY_UNAVAILABLE after the signer has funds again',
  195: 'a false retraction under a frozen endpoint without receipts (the third design of the engine, part 6)',
};

test('no promise is broken in the worlds of many seeds but those that are known', async () => {
  for (let seed = 1; seed <= SEEDS; seed += PART) {
    const count = Math.min(PART, SEEDS - seed + 1);
    const outcomes = await runSeeds('--seed', String(seed), '--seeds', String(count));
    expect(outcomes).toHaveLength(count);
    // Broken and not known, or known and no longer broken.
    const unforeseen = outcomes.filter(
      ({ seed: which, violations }) => violations.length > 0 !== which in OPEN,
    );
    expect(unforeseen.map(({ seed: which, violations }) => ({ seed: which, violations }))).toEqual([]);
  }
}, 7_200_000);
