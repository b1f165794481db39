import { describe, expect, test } from '@jest/globals';
import { leaderKills } from '../../lab/faults/leader-kills.ts';
import { flawsOf, runOf } from '../../lab/faults/outcome.ts';
import { MAY_FAIL } from '../../lab/faults/rows.ts';
import { findPatroni } from '../../lab/stage/patroni/site.ts';

/* The row `Patroni failover` of `npm run faults`, with one kill. */

const SHORT_SCALE = 0.05;
const programs = await findPatroni();

(programs ? describe : describe.skip)('a cluster of Patroni as ops/patroni configures it', () => {
  test('when the machine of the leader dies under load, another leads, and no acknowledged write is missing', async () => {
    const seed = Number(process.env['SEED'] ?? 1);
    const outcome = await leaderKills(runOf(seed, 'Patroni failover', SHORT_SCALE));
    expect(flawsOf(outcome, MAY_FAIL['Patroni failover'])).toEqual([]);
    expect(outcome.judgement!.acknowledged).toBeGreaterThan(0);
  });
});
