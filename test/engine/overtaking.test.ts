import { afterEach, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { deployTargets, emptyLog, mintOnce } from '../faults/load.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';
import type { TestAccount } from '../setup/service.ts';

jest.setTimeout(120_000);

let stand: Stand;
afterEach(() => stand.stop());

async function control(
  { api }: TestAccount,
  path: '/tokens/{address}/pause' | '/tokens/{address}/unpause',
  address: string,
  prefer?: string,
): Promise<void> {
  const header = prefer === undefined ? {} : { Prefer: prefer };
  const { response } = await api.POST(path, { params: { path: { address }, header } });
  expect(response.ok).toBe(true);
}

test('a call that waits for an earlier one is not overtaken by a later one of its contract', async () => {
  stand = await startStand({});
  const { anvil, proxy, mintmark, quiet, waitForRow } = stand;
  const account = await mintmark.register();
  const [target, other] = await deployTargets([account, await mintmark.register()]);
  const { address } = target!;
  await control(account, '/tokens/{address}/pause', address);
  await quiet();

  // From here on nothing is mined: the end of the pause stays on its way.
  await anvil.call('evm_setAutomine', [false]);
  await control(account, '/tokens/{address}/unpause', address, 'respond-async');
  await waitForRow(`select 1 from transactions where status = 'open'`);

  // While the lane simulates a call of another contract two gather: a mint, which reverts for now, and another pause.
  const [asked, gathered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  proxy.options.before = (method) => {
    if (method !== 'eth_call') return undefined;
    asked.resolve();
    return gathered.promise;
  };
  await mintOnce(other!, emptyLog());
  await asked.promise;
  await mintOnce(target!, emptyLog());
  await control(account, '/tokens/{address}/pause', address, 'respond-async');
  proxy.options.before = () => undefined;
  gathered.resolve();
  await waitForRow(`select 1 from transactions having count(*) filter (where status = 'open') >= 2`);

  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
  await quiet();
  const ends = await query<{ kind: string; status: string }>(
    mintmark.service.context.db,
    `select kind, status from intents where contract = decode(:contract, 'hex') order by number`,
    { contract: address.slice(2) },
  );
  expect(ends.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'deploy_token confirmed',
    'pause confirmed',
    'unpause confirmed',
    'mint confirmed',
    'pause confirmed',
  ]);
});
