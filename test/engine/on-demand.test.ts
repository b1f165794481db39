import { afterEach, expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

let stand: Stand;
afterEach(() => stand.stop());

test('on a chain that makes a block only for a transaction, a verdict waits for no block that never comes', async () => {
  stand = await startStand({}, { CONFIRMATIONS: '3' }, { timings: SHORT_TIMINGS });
  const { mintmark, verdict } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const log = emptyLog();
  await mintOnce(target!, log);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('and what nobody bids enough for is bid more for', async () => {
  stand = await startStand({}, {}, { timings: SHORT_TIMINGS });
  const { anvil, mintmark, verdict, proxy } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const log = emptyLog();
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await mintOnce(target!, log);
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  // The pool takes the first bid, and no block does.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0x174876e800']);
  await anvil.call('evm_mine', []);
  proxy.options.faultFor = () => null;
  await stand.waitForRow('select 1 from attempts group by transaction_id having count(*) > 1');
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('nor does the verdict on what a signer sent that is gone', async () => {
  stand = await startStand({}, { CONFIRMATIONS: '3' }, { timings: SHORT_TIMINGS });
  const { mintmark, verdict } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const [gone, other] = embeddedAccounts;
  await createCli(mintmark.environment).say('signers', 'grant', other.address);
  const log = emptyLog();
  await mintOnce(target!, log);
  await mintmark.restart({ SIGNER_KEY: other.privateKey, OPERATOR_ADMIN: gone.address });
  const { db } = mintmark.service.context;
  // A command has had it for minutes.
  await db.raw(`update lanes set lease_ms = 0 where lease_until < now()`);
  await stand.waitForRow(`select 1 from transactions where status = 'mined'`);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});
