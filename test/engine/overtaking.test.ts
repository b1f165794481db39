import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

let stand: Stand;
afterEach(() => stand.stop());

/** Asks for a control of a token that is carried out later. */
async function control(
  { account: { api }, address }: Target,
  verb: 'pause' | 'unpause' | 'approve-account' | 'unapprove-account',
): Promise<void> {
  const { response } = await api.POST(`/tokens/{address}/${verb}`, {
    params: { path: { address }, header: { Prefer: 'respond-async' } },
    ...(verb.endsWith('account') ? { body: { account: RECIPIENT } } : {}),
  });
  expect(response.ok).toBe(true);
}

test('a call that waits for an earlier one is not overtaken by a later one of its contract', async () => {
  stand = await startStand({});
  const { anvil, proxy, mintmark, quiet, waitForRow } = stand;
  const [other] = await deployTargets([await mintmark.register()]);
  const account = await mintmark.register();
  const { data } = await account.api.POST('/tokens', {
    body: { type: 'ERC20', name: 'Club', symbol: 'CLUB', decimals: 18, isPermissionless: false },
  });
  const target: Target = {
    account,
    address: (data as { data: { address: string } }).data.address,
    isNft: false,
  };
  await control(target, 'approve-account');
  await control(target, 'pause');
  await quiet();

  // From here on nothing is mined: the end of the pause stays on its way.
  await anvil.call('evm_setAutomine', [false]);
  await control(target, 'unpause');
  await waitForRow(`select 1 from transactions where status = 'open'`);

  // While the lane simulates a call of another contract two gather: a mint, which reverts for now, and what
  // would make it revert for good.
  const [asked, gathered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let simulations = 0;
  proxy.options.before = (method) => {
    if (method !== 'eth_call') return undefined;
    simulations += 1;
    asked.resolve();
    return gathered.promise;
  };
  await mintOnce(other!, emptyLog());
  await asked.promise;
  await mintOnce(target, emptyLog());
  await control(target, 'unapprove-account');
  gathered.resolve();
  while (simulations < 2) await sleep(20);
  // What the second simulation lets go is sent meanwhile.
  await sleep(500);

  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
  await quiet();
  const ends = await query<{ kind: string; status: string }>(
    mintmark.service.context.db,
    `select kind, status from intents where contract = decode(:contract, 'hex') order by number`,
    { contract: target.address.slice(2) },
  );
  expect(ends.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'deploy_token confirmed',
    'approve_account confirmed',
    'pause confirmed',
    'unpause confirmed',
    'mint confirmed',
    'unapprove_account confirmed',
  ]);
});
