import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { REPLACE_AFTER_BLOCKS, replacementFees } from '../../src/engine/send/replacement.ts';
import type { Fees } from '../../src/engine/store/transactions.ts';
import { FLAWLESS } from '../faults/judge.ts';
import type { Judgement } from '../faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../faults/load.ts';
import type { Target } from '../faults/load.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';

jest.setTimeout(120_000);

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;

/** Shorter clocks, and a head that is never taken for a newer one: the base fee changes all the time. */
const TIMINGS = { headFreshMs: 0, blockLookMs: 50, resendMs: 1_000, fundsLookMs: 1_000 };

let stand: Stand;
let targets: Target[];
let heldFee: NodeJS.Timeout | undefined;

beforeAll(async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { gethReplacement: true, timings: TIMINGS });
  const { mintmark } = stand;
  targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
  await stand.quiet();
});

afterEach(async () => {
  clearInterval(heldFee);
  const { options } = stand.proxy;
  options.faultFor = () => null;
  options.before = () => undefined;
  delete options.feeCap;
  await setBaseFee(GWEI);
});

afterAll(() => stand.stop());

const setBaseFee = (wei: bigint): Promise<unknown> =>
  stand.anvil.call('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`]);

/** Keeps the base fee from falling until the end of the test. */
async function holdBaseFee(wei: bigint): Promise<void> {
  await setBaseFee(wei);
  heldFee = setInterval(() => void setBaseFee(wei), 50);
}

/** Lets so many blocks pass, slowly enough to be seen one by one. */
async function passBlocks(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await stand.anvil.call('anvil_mine', ['0x1']);
    await sleep(100);
  }
}

/** Lets blocks pass until the first transaction after the first `before` ones has so many bids. */
async function passBlocksUntilBids(before: number, bids: number): Promise<SentTransaction> {
  for (let blocks = 0; blocks < 200; blocks += 1) {
    const waiting = (await sent())[before];
    if (waiting && waiting.attempts >= bids) return waiting;
    await passBlocks(1);
  }
  throw new Error(`there are no ${bids} bids`);
}

/** Lets nothing reach the pool: the node says that it took each transaction. */
function withholdAll(): void {
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
}

function releaseAll(): void {
  stand.proxy.options.faultFor = () => null;
}

async function mintAndJudge(count: number): Promise<() => Promise<Judgement>> {
  const log = emptyLog();
  await inParallel(count, count, (index) => mintOnce(targets[index % targets.length]!, log));
  return () => stand.verdict(log);
}

interface SentTransaction {
  gas_limit: bigint;
  attempts: number;
  max_fee: bigint;
}

const sent = (): Promise<SentTransaction[]> =>
  query<SentTransaction>(
    stand.mintmark.service.context.db,
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
  test('follow a base fee that leaps above the bid', async () => {
    const before = (await sent()).length;
    // Far more than what was bid: the pool keeps the first attempt, and no block takes it.
    stand.proxy.options.before = async (method) => {
      if (method !== 'eth_sendRawTransaction') return;
      stand.proxy.options.before = () => undefined;
      await holdBaseFee(200n * GWEI);
    };
    const verdict = await mintAndJudge(10);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    const transactions = (await sent()).slice(before);
    expect(transactions.some(({ attempts }) => attempts > 1)).toBe(true);
    expect(transactions.every(({ max_fee }) => max_fee >= 200n * GWEI)).toBe(true);
  });

  test('make no transaction dearer than nodes let it be (1 ether), and divide what would be', async () => {
    stand.proxy.options.feeCap = ETHER;
    await holdBaseFee(400n * GWEI);
    await passBlocks(2);
    const before = (await sent()).length;
    const verdict = await mintAndJudge(40);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
    const transactions = (await sent()).slice(before);
    expect(transactions.length).toBeGreaterThan(1);
    for (const { gas_limit, max_fee } of transactions) expect(gas_limit * max_fee).toBeLessThanOrEqual(ETHER);
    expect(stand.proxy.counts['over-cap'] ?? 0).toBe(0);
  });

  test('stay below what nodes let a transaction cost, however long it waits', async () => {
    stand.proxy.options.feeCap = ETHER;
    await holdBaseFee(400n * GWEI);
    await passBlocks(2);
    const before = (await sent()).length;
    withholdAll();
    const verdict = await mintAndJudge(40);
    // The first bid leaves room for twice as much: the next ones, each an eighth higher, use that up.
    await passBlocksUntilBids(before, 5);
    await passBlocks(3 * REPLACE_AFTER_BLOCKS);
    const waiting = (await sent()).slice(before);
    for (const { gas_limit, max_fee } of waiting) expect(gas_limit * max_fee).toBeLessThanOrEqual(ETHER);
    releaseAll();
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
    expect(stand.proxy.counts['over-cap'] ?? 0).toBe(0);
  });
});

describe('a transaction that the node does not take', () => {
  test('for its full pool is sent again until there is room', async () => {
    let refusals = 0;
    stand.proxy.options.faultFor = (method) => {
      if (method !== 'eth_sendRawTransaction' || refusals >= 2) return null;
      refusals += 1;
      return 'pool-full';
    };
    const verdict = await mintAndJudge(10);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
    expect(refusals).toBe(2);
  });

  test.each(['while it waits', 'when the service starts'])(
    'for its last bid is sent with the bids before it, %s',
    async (moment) => {
      const { mintmark, proxy } = stand;
      const isStart = moment === 'when the service starts';
      const before = (await sent()).length;
      withholdAll();
      const verdict = await mintAndJudge(1);
      const waiting = await passBlocksUntilBids(before, 2);
      if (isStart) await mintmark.service.stop();
      proxy.options.feeCap = waiting.gas_limit * waiting.max_fee - 1n;
      releaseAll();
      if (isStart) await mintmark.restart();
      expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    },
  );

  test('for want of funds gets no higher bid, and is sent again once its first bid is paid for', async () => {
    const setBalance = (wei: bigint) =>
      stand.anvil.call('anvil_setBalance', [embeddedAccounts[0].address, `0x${wei.toString(16)}`]);
    const before = (await sent()).length;
    stand.proxy.options.before = (method) =>
      method === 'eth_sendRawTransaction' ? setBalance(1n) : undefined;
    const verdict = await mintAndJudge(1);
    await passBlocks(4 * REPLACE_AFTER_BLOCKS);
    const waiting = (await sent())[before]!;
    expect(waiting.attempts).toBe(1);
    stand.proxy.options.before = () => undefined;
    await setBalance(waiting.gas_limit * waiting.max_fee);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });
});
