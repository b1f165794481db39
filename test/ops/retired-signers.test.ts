import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { readRules } from './runbook/rules.ts';
import { startPrometheus } from './runbook/prometheus.ts';
import { startStand } from '../faults/stand.ts';
import { setBalance } from '../faults/node-faults.ts';
import { insertLane } from '../setup/lanes.ts';
import { findProgram } from '../setup/program.ts';

const program = await findProgram('prometheus', 'prometheus');
const [, , BURIED, MOVED] = embeddedAccounts.map(({ address }) => address.toLowerCase() as Hex);
/** What would be wrong with these two if they were at work. */
const ALERTS = [
  'MintmarkLaneUnheld',
  'MintmarkSignerUnfunded',
  'MintmarkSignerLow',
  'MintmarkNonceStuck',
  'MintmarkForeignNonce',
];

(program ? test : test.skip)('signers that are retired raise no alert for ever', async () => {
  await using stack = new AsyncDisposableStack();
  const stand = await startStand({});
  stack.defer(() => stand.stop());
  const { db } = stand.mintmark.service.context;
  // One without funds gave up what was in flight; of the other one somebody has moved the ether.
  await insertLane(db, BURIED!, { nextNonce: 7n, isHeld: false });
  await query(db, 'update lanes set funded = false where signer = :signer', { signer: toBytes(BURIED!) });
  await setBalance(stand.anvil, BURIED!, 1n);
  await insertLane(db, MOVED!, { isHeld: false });
  await stand.anvil.call('anvil_setNonce', [MOVED!, '0x2']);
  const rules = readRules().filter(({ alert }) => ALERTS.includes(alert));
  expect(rules.map(({ alert }) => alert)).toEqual(ALERTS);
  const prometheus = stack.use(await startPrometheus(program!, stand.mintmark.url));
  for (const { expr } of rules) await prometheus.waitUntil(expr, true);
  await query(db, 'update lanes set retiring = true where signer in (:buried, :moved)', {
    buried: toBytes(BURIED!),
    moved: toBytes(MOVED!),
  });
  for (const { expr } of rules) await prometheus.waitUntil(expr, false);
});
