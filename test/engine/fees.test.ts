import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { replacementFees } from '../../src/engine/send/replacement.ts';
import type { Fees } from '../../src/engine/store/transactions.ts';
import { startAnvil } from '../faults/anvil.ts';
import type { Anvil } from '../faults/anvil.ts';
import { FLAWLESS, judge, waitForQuiet } from '../faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../faults/load.ts';
import type { Target } from '../faults/load.ts';
import { startRpcProxy } from '../faults/rpc-proxy.ts';
import type { RpcProxy, RpcProxyOptions } from '../faults/rpc-proxy.ts';
import { startTestService } from '../setup/service.ts';
import type { TestService } from '../setup/service.ts';

jest.setTimeout(120_000);

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;

let anvil: Anvil;
let proxy: RpcProxy;
let mintmark: TestService;
let targets: Target[];

/** The service behind a proxy that asks for geth's replacement rule, in front of anvil with 1 s blocks. */
async function boot(options: Partial<RpcProxyOptions> = {}): Promise<void> {
  anvil = await startAnvil({ blockTimeSeconds: 1 });
  proxy = await startRpcProxy({ target: anvil.url, faultFor: () => null, gethReplacement: true, ...options });
  mintmark = await startTestService({ LOG_LEVEL: 'silent' }, { rpcUrl: proxy.url });
  targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
}

afterEach(async () => {
  await mintmark?.stop();
  await proxy?.stop();
  await anvil?.stop();
});

const setBaseFee = (wei: bigint): Promise<unknown> =>
  anvil.call('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);

/** Lets so many blocks pass, slowly enough to be seen one by one. */
async function passBlocks(count: number, baseFee?: bigint): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    if (baseFee) await setBaseFee(baseFee);
    await anvil.call('anvil_mine', ['0x1']);
    await sleep(250);
  }
}

async function mintAndJudge(count: number) {
  const log = emptyLog();
  await inParallel(count, count, (index) => mintOnce(targets[index % targets.length]!, log));
  return async () => {
    const { db, system } = mintmark.service.context;
    expect(await waitForQuiet(db, 60_000)).toBe(0);
    return judge(db, anvil.url, system.operator, log);
  };
}

interface SentTransaction {
  gas_limit: bigint;
  attempts: number;
  max_fee: bigint;
}

const sent = (): Promise<SentTransaction[]> =>
  query<SentTransaction>(
    mintmark.service.context.db,
    `select t.gas_limit, count(*)::int as attempts, max(a.max_fee_per_gas)::bigint as max_fee
       from transactions t join attempts a on a.transaction_id = t.id group by t.id, t.gas_limit order by t.id`,
  );

describe('a replacement', () => {
  const now = { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: GWEI };

  test('bids an eighth more on both fees, and what a first bid would be now', () => {
    const little = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 80n };
    expect(replacementFees(now, little, 21_000n)).toEqual({
      maxFeePerGas: 22_500_000_001n,
      maxPriorityFeePerGas: 1_125_000_001n,
    });
    expect(replacementFees(little, now, 21_000n)).toEqual(now);
  });

  test('bids no more than nodes take, and nothing where pools would ask for more than that', () => {
    const most = (maxFeePerGas: bigint) => ETHER / maxFeePerGas;
    const dear = { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 70n * GWEI };
    expect(replacementFees(now, dear, most(50n * GWEI))).toEqual({
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: 50n * GWEI,
    });
    expect(replacementFees(now, dear, most(22n * GWEI))).toBeNull();
  });

  test('ends when the bid is beyond any sense', () => {
    let bid: Fees | null = now;
    let bids = 0;
    for (let next: Fees | null = now; next; next = replacementFees(next, now, 21_000n), bids += 1) bid = next;
    expect(bids).toBe(21);
    expect(bid.maxFeePerGas).toBeLessThan((10n * now.maxFeePerGas * 9n) / 8n + 2n);
  });
});

describe('fees', () => {
  test('a base fee that leaps above the bid is followed', async () => {
    await boot();
    // Twenty times what was bid: the pool keeps the first attempt, and no block takes it.
    const before = (await sent()).length;
    const blocks = setInterval(() => void setBaseFee(200n * GWEI), 200);
    try {
      const verdict = await mintAndJudge(10);
      expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    } finally {
      clearInterval(blocks);
    }
    const transactions = (await sent()).slice(before);
    expect(transactions.some(({ attempts }) => attempts > 1)).toBe(true);
    expect(transactions.every(({ max_fee }) => max_fee >= 200n * GWEI)).toBe(true);
  });

  test('a pool that is full is asked again until it has room', async () => {
    await boot();
    let refusals = 0;
    proxy.options.faultFor = (method) => {
      if (method !== 'eth_sendRawTransaction' || refusals >= 2) return null;
      refusals += 1;
      return 'pool-full';
    };
    const verdict = await mintAndJudge(10);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    expect(refusals).toBe(2);
  });

  test('no transaction may cost more than nodes let it (1 ether), however dear gas is', async () => {
    await boot({ feeCap: ETHER });
    await setBaseFee(400n * GWEI);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = (await sent()).length;
    const verdict = await mintAndJudge(40);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
    const transactions = (await sent()).slice(before);
    expect(transactions.length).toBeGreaterThan(1);
    for (const { gas_limit, max_fee } of transactions) expect(gas_limit * max_fee).toBeLessThanOrEqual(ETHER);
    expect(proxy.counts['over-cap'] ?? 0).toBe(0);
  });

  test('no bid is above what nodes let a transaction cost, however long it waits', async () => {
    await boot({ feeCap: ETHER });
    await passBlocks(2, 400n * GWEI);
    const before = (await sent()).length;
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const verdict = await mintAndJudge(40);
    // Enough for ten bids, each an eighth above the one before.
    await passBlocks(40, 400n * GWEI);
    const waiting = (await sent()).slice(before);
    expect(waiting[0]!.attempts).toBeGreaterThan(1);
    for (const { gas_limit, max_fee } of waiting) expect(gas_limit * max_fee).toBeLessThanOrEqual(ETHER);
    proxy.options.faultFor = () => null;
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
    expect(proxy.counts['over-cap'] ?? 0).toBe(0);
  });

  test('a node that refuses the last bid gets the ones before it, at a stall and at a start', async () => {
    await boot();
    for (const isStart of [false, true]) {
      const before = (await sent()).length;
      proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
      const verdict = await mintAndJudge(1);
      await passBlocks(8);
      const [waiting] = (await sent()).slice(before);
      expect(waiting!.attempts).toBeGreaterThan(1);
      if (isStart) await mintmark.service.stop();
      proxy.options.feeCap = waiting!.gas_limit * waiting!.max_fee - 1n;
      proxy.options.faultFor = () => null;
      if (isStart) await mintmark.restart();
      expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
      delete proxy.options.feeCap;
    }
  });

  test('a signer without funds needs no more than its first bid once it is paid again', async () => {
    await boot();
    const before = (await sent()).length;
    const setBalance = (wei: bigint) =>
      anvil.call('anvil_setBalance', [embeddedAccounts[0].address, `0x${wei.toString(16)}`]);
    proxy.options.before = (method) => (method === 'eth_sendRawTransaction' ? setBalance(1n) : undefined);
    const verdict = await mintAndJudge(1);
    await passBlocks(12);
    const [waiting] = (await sent()).slice(before);
    expect(waiting!.attempts).toBe(1);
    proxy.options.before = () => undefined;
    await setBalance(waiting!.gas_limit * waiting!.max_fee);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });
});
