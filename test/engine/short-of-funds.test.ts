import { afterEach, expect, test } from '@jest/globals';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { deployTargets, emptyLog, mintOnce } from '../faults/load.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';

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
