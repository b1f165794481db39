import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog } from '../../lab/load/load.ts';
import { replaceFrom } from '../../lab/faults/reorgs.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { openChain } from '../setup/chain.ts';
import { SHORT_TIMINGS } from './timings.ts';

let stand: Stand;
afterEach(() => stand.stop());

test('a control that undoes another one is sent, though a reorg took that one back unnoticed', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '24' }, { timings: SHORT_TIMINGS });
  const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  const log = emptyLog();
  const control = async (path: '/tokens/{address}/pause' | '/tokens/{address}/unpause'): Promise<void> => {
    const { response } = await target!.account.api.POST(path, {
      params: { path: { address: target!.address }, header: { Prefer: 'respond-async' } },
    });
    log.acknowledged.add(response.headers.get('Intent-Id')!);
  };
  await control('/tokens/{address}/pause');
  const [pause] = await waitForRow<{ block: bigint }>(
    `select block_number as block from transactions where status = 'mined'`,
  );

  // Whoever reads the chain waits from here on.
  const [looked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  proxy.options.before = (method) => {
    if (method !== 'eth_getBlockByNumber') return undefined;
    looked.resolve();
    return answered.promise;
  };
  await looked.promise;
  await replaceFrom(anvil, pause!.block);
  using chain = openChain({ ...mintmark, chain: anvil });
  const isPaused = () => chain.erc20(target!.address).getFunction('paused')();
  expect(await isPaused()).toBe(false);
  // So that the pause comes into no block again while the unpause is settled.
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const asked = control('/tokens/{address}/unpause');
  // Time to wait for the canonical head, for one who thinks that nothing of the contract is open: the next look shows
  // it.
  await Promise.race([asked, sleep(500)]);
  proxy.options.before = () => undefined;
  answered.resolve();
  await asked;
  proxy.options.faultFor = () => null;
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
  expect(await isPaused()).toBe(false);
});
