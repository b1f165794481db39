import { afterEach, expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createCollection, sessionOf } from '../../lab/stage/collections.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

const SIGNER = embeddedAccounts[0].address;
/** Enough for a mint or two at a time. */
const GAS = 400_000n;

let stand: Stand;
afterEach(() => stand.stop());

test('a signer that cannot pay for all that is queued sends what it can pay for, and no intent fails', async () => {
  stand = await startStand({});
  const { anvil, proxy, mintmark, quiet, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  const balance = await anvil.call<string>('eth_getBalance', [SIGNER, 'latest']);
  const { baseFeePerGas } = await anvil.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const tip = BigInt(await anvil.call<string>('eth_maxPriorityFeePerGas', []));
  const wei = GAS * (2n * BigInt(baseFeePerGas) + tip);

  // The mints gather while the lane waits for a simulation.
  const gathered = Promise.withResolvers<void>();
  proxy.options.before = (method) => (method === 'eth_call' ? gathered.promise : undefined);
  const log = emptyLog();
  for (let mint = 0; mint < 20; mint += 1) await mintOnce(target!, log);
  await anvil.call('anvil_setBalance', [SIGNER, `0x${wei.toString(16)}`]);
  gathered.resolve();
  await waitForRow(`select 1 from intents where kind = 'mint' and status = 'confirmed'`);

  await anvil.call('anvil_setBalance', [SIGNER, balance]);
  await quiet();
  const confirmed = await waitForRow<{ count: bigint }>(
    `select count(*) from intents where kind = 'mint' and status = 'confirmed'`,
  );
  expect(confirmed[0]!.count).toBe(20n);
});

test('a batch that reverts fails, though the signer cannot pay for the most gas that it may use', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { WAIT_TIMEOUT_MS: '20000' });
  const { anvil, mintmark, quiet } = stand;
  const account = await mintmark.register();
  const collection = await createCollection(sessionOf(mintmark, account));
  const pausing = await account.api.POST('/tokens/{address}/pause', {
    params: { path: { address: collection } },
  });
  expect(pausing.response.status).toBe(200);
  await quiet();
  const tip = BigInt(await anvil.call<string>('eth_maxPriorityFeePerGas', []));
  // Twenty mints may use seven millions, and are simulated with two.
  const wei = 4_000_000n * tip;
  await anvil.call('anvil_setBalance', [SIGNER, `0x${wei.toString(16)}`]);
  const { response, error } = await sessionOf(mintmark, account).POST(
    '/v1/collections/{address}/mint/batch',
    {
      params: { path: { address: collection } },
      body: { items: Array.from({ length: 20 }, () => ({ to: RECIPIENT })) },
    },
  );
  expect([response.status, error?.code]).toEqual([502, 'CHAIN_ERROR']);
});
