import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { replacementFees } from '../../src/engine/send/replacement.ts';
import { cappedFees, firstFees, maxAffordableGas } from '../../src/engine/send/bid.ts';
import type { FeeRules } from '../../src/engine/send/bid.ts';
import type { Fees } from '../../src/lib/fees.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import type { Judgement } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;

/** Shorter clocks, and a head that is never taken for a newer one: the base fee changes all the time. */
const TIMINGS = { latestFreshMs: 0, blockLookMs: 50, resendMs: 1_000, fundsLookMs: 1_000 };

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

const RULES: FeeRules = { feeModel: 'eip1559', maxFeePerGas: null, maxTransactionFee: ETHER };
const LEGACY: FeeRules = { ...RULES, feeModel: 'legacy' };
const FREE: FeeRules = { ...RULES, feeModel: 'none' };
const price = (wei: bigint): Fees => ({ maxFeePerGas: wei, maxPriorityFeePerGas: wei });
/** The gas limit with which nodes take so much per gas and no more. */
const gasFor = (maxFeePerGas: bigint): bigint => ETHER / maxFeePerGas;

describe('a first bid', () => {
  test('is twice the base fee and the tip', () => {
    expect(firstFees({ baseFee: 10n * GWEI, suggested: GWEI }, RULES)).toEqual({
      maxFeePerGas: 21n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(firstFees({ baseFee: 0n, suggested: 0n }, RULES)).toEqual(price(0n));
  });

  test('of a legacy transaction is the price that the node suggests, and never below the next base fee', () => {
    expect(firstFees({ baseFee: 0n, suggested: 5n }, LEGACY)).toEqual(price(5n));
    expect(firstFees({ baseFee: 80n, suggested: 90n }, LEGACY)).toEqual(price(100n));
    expect(firstFees({ baseFee: 80n, suggested: 1n }, LEGACY)).toEqual(price(90n));
  });

  test('is nothing where gas costs nothing, and none where it should cost nothing and does', () => {
    expect(firstFees({ baseFee: 0n, suggested: 0n }, FREE)).toEqual(price(0n));
    expect(firstFees({ baseFee: 7n, suggested: 0n }, FREE)).toBeNull();
  });

  test('stays within the highest fee of the profile, and there is none when the next block may ask for more', () => {
    const rules = { ...RULES, maxFeePerGas: 90n };
    expect(firstFees({ baseFee: 80n, suggested: 2n }, rules)).toEqual({
      maxFeePerGas: 90n,
      maxPriorityFeePerGas: 2n,
    });
    expect(firstFees({ baseFee: 80n, suggested: 200n }, rules)).toEqual(price(90n));
    expect(firstFees({ baseFee: 81n, suggested: 2n }, rules)).toBeNull();
  });

  test('is lowered to what nodes take from so much gas, but not below the next base fee', () => {
    const market = { baseFee: 40n * GWEI, suggested: GWEI };
    const fees = firstFees(market, RULES)!;
    expect(cappedFees(fees, gasFor(50n * GWEI), market, RULES)).toEqual({
      maxFeePerGas: 50n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(cappedFees(fees, gasFor(44n * GWEI), market, RULES)).toBeNull();
    expect(cappedFees(price(0n), 16_777_216n, { baseFee: 0n, suggested: 0n }, FREE)).toEqual(price(0n));
  });

  test('pays for half of what nodes take, and for no more than the signer has', () => {
    expect(maxAffordableGas(price(50n * GWEI), RULES, 100n * ETHER)).toBe(10_000_000);
    expect(maxAffordableGas(price(50n * GWEI), RULES, ETHER / 10n)).toBe(2_000_000);
    expect(maxAffordableGas(price(50n * GWEI), RULES, 0n)).toBe(0);
    expect(maxAffordableGas(price(0n), FREE, 0n)).toBe(Infinity);
  });
});

describe('a replacement', () => {
  /** What is good now is as high as what was bid. */
  const market = { baseFee: 19n * GWEI, suggested: 2n * GWEI };
  const now = { maxFeePerGas: 40n * GWEI, maxPriorityFeePerGas: 2n * GWEI };

  test('bids an eighth more on both fees, and what a first bid would be now', () => {
    const before = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 80n };
    expect(replacementFees(now, { baseFee: 5n * GWEI, suggested: 80n }, 21_000n, RULES)).toEqual({
      maxFeePerGas: 45n * GWEI + 1n,
      maxPriorityFeePerGas: (9n * GWEI) / 4n + 1n,
    });
    expect(replacementFees(before, market, 21_000n, RULES)).toEqual(now);
    expect(replacementFees(price(8n), { baseFee: 0n, suggested: 4n }, 21_000n, LEGACY)).toEqual(price(10n));
  });

  test('bids no more than nodes take, and nothing where pools or blocks would ask for more than that', () => {
    const dear = { baseFee: 40n * GWEI, suggested: 70n * GWEI };
    expect(replacementFees(now, dear, gasFor(50n * GWEI), RULES)).toEqual(price(50n * GWEI));
    expect(replacementFees(now, dear, gasFor(44n * GWEI), RULES)).toBeNull();
    expect(replacementFees(price(2n), dear, gasFor(44n * GWEI), RULES)).toBeNull();
  });

  test('may bid more than the highest fee of the profile, for it frees what is stuck', () => {
    const rules = { ...RULES, maxFeePerGas: GWEI };
    expect(firstFees(market, rules)).toBeNull();
    expect(replacementFees(now, market, 21_000n, rules)).toMatchObject({ maxFeePerGas: 45n * GWEI + 1n });
  });

  test('is pointless where gas costs nothing', () => {
    expect(replacementFees(price(0n), { baseFee: 0n, suggested: 0n }, 21_000n, FREE)).toBeNull();
  });

  test('ends when the bid is beyond any sense', () => {
    let bid: Fees | null = now;
    let bids = 0;
    const next = (last: Fees): Fees | null => replacementFees(last, market, 21_000n, RULES);
    for (let more: Fees | null = now; more; more = next(more), bids += 1) bid = more;
    expect(bids).toBe(21);
    expect(bid.maxFeePerGas).toBeLessThan((10n * now.maxFeePerGas * 9n) / 8n + 2n);
  });

  test('goes on, however high the bid, when base fee or tip have risen above it', () => {
    const high = { maxFeePerGas: 900n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
    expect(replacementFees(high, market, 21_000n, RULES)).toBeNull();
    const risen = { baseFee: 1_000n * GWEI, suggested: 2n * GWEI };
    expect(replacementFees(high, risen, 21_000n, RULES)).toMatchObject({ maxFeePerGas: 2_002n * GWEI });
    const dearTip = { baseFee: GWEI, suggested: 3n * GWEI };
    expect(replacementFees(high, dearTip, 21_000n, RULES)).toMatchObject({ maxPriorityFeePerGas: 3n * GWEI });
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
    // Enough for three more bids.
    await passBlocks(9);
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
    let emptied: Promise<unknown> = Promise.resolve();
    stand.proxy.options.before = (method) =>
      method === 'eth_sendRawTransaction' ? (emptied = setBalance(1n)) : undefined;
    const verdict = await mintAndJudge(1);
    // Enough for four bids.
    await passBlocks(12);
    const waiting = (await sent())[before]!;
    expect(waiting.attempts).toBe(1);
    stand.proxy.options.before = () => undefined;
    // One that is on its way would take the money again.
    await emptied;
    await setBalance(waiting.gas_limit * waiting.max_fee);
    expect(await verdict()).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });
});
