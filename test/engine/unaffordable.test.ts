import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { withFullGas } from '../setup/full-gas.ts';
import { requestMint } from '../../lab/stage/tokens.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
/** A hundred times what anvil begins with. */
const HIGH = 100n * GWEI;

let stand: Stand;
let heavy: Target;
let light: Target;
let heldFee: NodeJS.Timeout | undefined;

beforeAll(async () => {
  stand = await startStand(
    { blockTimeSeconds: 0.25 },
    { WAIT_TIMEOUT_MS: '20000' },
    { gethReplacement: true, timings: { latestFreshMs: 0, blockLookMs: 50, cooldownMs: 500 } },
  );
  const { mintmark } = stand;
  const accounts = await Promise.all([mintmark.register(), mintmark.register()]);
  [heavy, light] = (await deployTargets(accounts)) as [Target, Target];
  await stand.quiet();
  stand.proxy.options.feeCap = ETHER;
});

afterEach(async () => {
  clearInterval(heldFee);
  stand.proxy.options.faultFor = () => null;
  await setBaseFee(GWEI);
});

afterAll(() => stand.stop());

const setBaseFee = (wei: bigint): Promise<unknown> =>
  stand.anvil.call('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);

async function holdBaseFee(wei: bigint): Promise<void> {
  await setBaseFee(wei);
  heldFee = setInterval(() => void setBaseFee(wei), 50);
  await stand.anvil.call('anvil_mine', ['0x2']);
}

async function countBids(): Promise<{ bids: bigint; below: bigint }> {
  const [row] = await query<{ bids: bigint; below: bigint }>(
    stand.mintmark.service.context.db,
    `select count(*) as bids, count(*) filter (where max_fee_per_gas < :high) as below from attempts`,
    { high: String(HIGH) },
  );
  return row!;
}

describe('what the signer cannot pay besides all that is open', () => {
  const setBalance = (wei: bigint): Promise<unknown> =>
    stand.anvil.call('anvil_setBalance', [embeddedAccounts[0].address, `0x${wei.toString(16)}`]);

  async function readOpen(): Promise<{ count: number; cost: bigint }> {
    const [row] = await query<{ count: number; cost: bigint }>(
      stand.mintmark.service.context.db,
      `select count(*)::int as count, coalesce(sum(gas_limit * max_fee), 0)::bigint as cost
         from transactions t join (
           select transaction_id as id, max(max_fee_per_gas) as max_fee from attempts group by transaction_id) a using (id)
        where t.status = 'open'`,
    );
    return row!;
  }

  test('is not signed, and goes when there is money', async () => {
    const before = await stand.anvil.call<string>('eth_getBalance', [embeddedAccounts[0].address, 'latest']);
    const log = emptyLog();
    stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    await mintOnce(heavy, log);
    await stand.waitForRow(`select 1 from transactions where status = 'open'`);
    const balance = ((await readOpen()).cost * 3n) / 2n;
    await setBalance(balance);
    // Until then it counts on what it had before.
    await stand.mintmark.restart();
    for (let mint = 0; mint < 3; mint += 1) await mintOnce(light, log);
    await sleep(3_000);
    const open = await readOpen();
    expect(open.count).toBe(1);
    expect(open.cost).toBeLessThanOrEqual(balance);
    stand.proxy.options.faultFor = () => null;
    await setBalance(BigInt(before));
    expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 4, failed: 0 });
  });
});

describe('while the base fee is a hundred times as high', () => {
  test('a call for which nodes take no bid that a block takes waits alone, and goes when the fee has fallen', async () => {
    await holdBaseFee(HIGH);
    const before = await countBids();
    const log = emptyLog();
    // All the gas there is: at this base fee that costs more than nodes let a transaction cost.
    await withFullGas(stand.mintmark.service.context.db, () => mintOnce(heavy, log));
    for (let mint = 0; mint < 3; mint += 1)
      expect(await requestMint(light.account, light.address)).toMatchObject({ status: 200 });
    const after = await countBids();
    expect(after.bids).toBeGreaterThan(before.bids);
    expect(after.below).toBe(before.below);
    clearInterval(heldFee);
    await setBaseFee(GWEI);
    expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    expect(stand.proxy.counts['over-cap'] ?? 0).toBe(0);
  });
});
