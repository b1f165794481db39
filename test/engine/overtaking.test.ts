import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../../lab/stage/stand.ts';
import type { Stand } from '../../lab/stage/stand.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

let stand: Stand;
afterEach(() => stand.stop());

/** Asks for a control of a token that is carried out later. */
async function control(
  { account: { api }, address }: Target,
  path: '/tokens/{address}/pause' | '/tokens/{address}/unpause' | '/tokens/{address}/freeze',
): Promise<void> {
  const { response } = await api.POST(path, {
    params: { path: { address }, header: { Prefer: 'respond-async' } },
    ...(path === '/tokens/{address}/freeze' ? { body: { account: RECIPIENT } } : {}),
  });
  expect(response.ok).toBe(true);
}

test('a call that waits for an earlier one is not overtaken by a later one of its contract', async () => {
  stand = await startStand({});
  const { anvil, proxy, mintmark, quiet, waitForRow } = stand;
  const [target, other] = await deployTargets([await mintmark.register(), await mintmark.register()]);
  await control(target!, '/tokens/{address}/pause');
  await quiet();

  // From here on nothing is mined: the end of the pause stays on its way.
  await anvil.call('evm_setAutomine', [false]);
  await control(target!, '/tokens/{address}/unpause');
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
  await mintOnce(target!, emptyLog());
  await control(target!, '/tokens/{address}/freeze');
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
    { contract: target!.address.slice(2) },
  );
  expect(ends.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'deploy_token confirmed',
    'pause confirmed',
    'unpause confirmed',
    'mint confirmed',
    'freeze confirmed',
  ]);
});
