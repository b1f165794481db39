import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ChainProfile } from '../../src/chain/profile.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { askOf, query } from '../../src/db/client.ts';
import { checkFunds } from '../../src/engine/lane/funds.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { acquireLane } from '../../src/engine/lane/lease.ts';
import { loadLane } from '../../src/engine/lane/load.ts';
import { borrowLane } from '../../src/engine/recover/commands.ts';
import { createWakeups, holdLane } from '../../src/engine/run/lane-loop.ts';
import { createLaneWatch, watchLane } from '../../src/engine/run/watch-lane.ts';
import { failUnlessPremature } from '../../src/engine/verdict/verdict.ts';
import { createKnownCommits } from '../../src/engine/recover/known-commits.ts';
import { tieToChain } from '../../src/engine/store/operators.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import type { Transaction } from '../../src/engine/store/transactions.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, makeSender } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HEAD = { number: 9n, hash: `0x${'99'.repeat(32)}` } as const;
const RICH = 10n ** 18n;

const { db } = useSuiteDatabase(3);

/** What the chain says at the canonical head, and at `latest` of the endpoint. */
let chain: { count: number; latest: number; balance: bigint; isRead: boolean };
/** Methods that the endpoint refuses. */
let refused: string[];
let calls: string[];

beforeEach(async () => {
  chain = { count: 5, latest: 5, balance: RICH, isRead: true };
  calls = [];
  refused = [];
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
});

/** Of all that is asked. */
function setCount(count: number): void {
  chain.count = count;
  chain.latest = count;
}

async function call<Result>(method: string, params: readonly unknown[]): Promise<Result> {
  calls.push(method);
  if (refused.includes(method)) throw new RpcRefused('other', 'not here', undefined, undefined);
  const quantity = (value: bigint | number) => `0x${value.toString(16)}`;
  const block = { number: '0x9', hash: HEAD.hash, baseFeePerGas: '0x10', gasLimit: quantity(30_000_000) };
  const isAtHead = (params[1] as { blockHash?: Hex } | undefined)?.blockHash === HEAD.hash;
  const answers: Record<string, unknown> = {
    eth_getTransactionCount: quantity(isAtHead ? chain.count : chain.latest),
    eth_getBlockByNumber: block,
    eth_maxPriorityFeePerGas: '0x1',
    eth_estimateGas: quantity(21_000),
    eth_getBalance: quantity(chain.balance),
    eth_sendRawTransaction: HEAD.hash,
    // What bytes of a sample cost on L1.
    eth_call: `0x${(8_192).toString(16).padStart(64, '0')}`,
  };
  return answers[method] as Result;
}

const partsOf = (signer: Hex, fields: Partial<ChainProfile> = {}) =>
  createLaneParts(db, signer, {
    config: {
      ...ENGINE_CONFIG,
      timings: { ...ENGINE_CONFIG.timings, queueLookMs: 20 },
      profile: { ...ENGINE_CONFIG.profile, stuckMs: 0, minesOnDemand: false, ...fields },
    },
    rpc: { call },
    chain: {
      fresh: async () => (chain.isRead ? { final: HEAD, head: HEAD } : null),
      expectBlock: () => undefined,
    },
    signer: {
      address: signer,
      sign: async ({ nonce }) => ({ raw: '0x02', hash: `0x${nonce.toString(16).padStart(64, '0')}` }),
    },
  });

/** Each loop of it is done by the test. */
async function acquire(signer: Hex = SIGNER, fields: Partial<ChainProfile> = {}): Promise<Lane | null> {
  const lane = await acquireLane(partsOf(signer, fields), 'one');
  await makeSender(db, signer);
  return lane;
}

/** Takes the lane anew, and what is open in it. */
async function takeAnew(fields: Partial<ChainProfile> = {}): Promise<Lane> {
  await db.raw(`update lanes set lease_until = '-infinity'`);
  const lane = (await acquire(SIGNER, fields))!;
  await loadLane(lane);
  await checkFunds(lane);
  return lane;
}

/** Stores a transaction with the lane's next nonce. */
async function send({ key, inFlight }: Lane): Promise<void> {
  const { number } = await queueIntent(db, CONTRACT);
  const nonce = inFlight.nextNonce;
  const attempt = createAttempt(`0x${'e'.repeat(60)}${nonce.toString(16).padStart(4, '0')}`);
  expect(
    (await insertTransaction(db, key, createDraft(CONTRACT, [number], { nonce, attempt }))).id,
  ).not.toBeNull();
}

async function noops(): Promise<number[]> {
  const rows = await query<{ nonce: bigint }>(
    db,
    `select nonce from transactions where is_noop and status = 'open' order by nonce`,
  );
  return rows.map(({ nonce }) => Number(nonce));
}

const mineNoops = () =>
  query(
    db,
    `update transactions set status = 'mined', mined_hash = :hash, block_number = 9, block_hash = :hash
      where is_noop and status = 'open'`,
    { hash: toBytes(HEAD.hash) },
  );

describe('a lane that is taken', () => {
  test('costs no call while another process holds it', async () => {
    await acquire();
    calls = [];
    expect(await acquireLane(partsOf(SIGNER), 'another')).toBeNull();
    expect(calls).toEqual([]);
  });

  test('begins at the count of the canonical head, whatever the newest block of an endpoint says', async () => {
    chain.latest = 1_005;
    expect((await acquire())!.inFlight.nextNonce).toBe(5n);
    expect((await takeAnew()).inFlight.nextNonce).toBe(5n);
  });

  test('stays where it is while nobody reads the chain, and begins somewhere when it is new', async () => {
    await acquire();
    chain = { ...chain, isRead: false, latest: 1_005 };
    expect((await takeAnew()).inFlight.nextNonce).toBe(5n);
    expect((await acquire(CONTRACT))!.inFlight.nextNonce).toBe(1_005n);
  });

  test('begins above its own transactions even when the last holder stored one while the lane was taken', async () => {
    await send((await acquire())!);
    await query(db, 'update lanes set next_nonce = 5');
    chain.isRead = false;
    await takeAnew();
    expect(await query(db, 'select next_nonce from lanes')).toEqual([{ next_nonce: 6n }]);
  });

  test('forgets a wrong count that nothing was signed for, and this is no loss of commits', async () => {
    setCount(1_005);
    expect((await acquire())!.inFlight.nextNonce).toBe(1_005n);
    const commits = createKnownCommits();
    await commits.look(askOf(db));
    setCount(5);
    expect((await takeAnew()).inFlight.nextNonce).toBe(5n);
    await commits.look(askOf(db));
  });

  test('goes back neither behind its own transactions nor behind what a command used', async () => {
    await send((await acquire())!);
    await send(await takeAnew());
    expect((await takeAnew()).inFlight.nextNonce).toBe(7n);
    await borrowLane(db, SIGNER, 60, async (least) => ({ nonce: least }));
    expect((await takeAnew()).inFlight.nextNonce).toBe(8n);
    await expect(borrowLane(db, SIGNER, 60, () => Promise.reject(new Error('refused')))).rejects.toThrow(
      'refused',
    );
    expect((await takeAnew()).inFlight.nextNonce).toBe(8n);
  });
});

describe('a gap below an open transaction', () => {
  /** A lane with a transaction above ten nonces that were skipped, of which four may be in flight. */
  async function takeWithGap(fields: Partial<ChainProfile> = {}): Promise<Lane> {
    setCount(15);
    await send((await acquire())!);
    setCount(5);
    return takeAnew(fields);
  }

  /** The look at which the gap has lasted for long enough. */
  async function watchUntilStuck(lane: Lane) {
    const watch = { ...createLaneWatch(), movedAt: -Infinity };
    await watchLane(lane, watch);
    return { ...watch, movedAt: Infinity };
  }

  test('is seen by the lowest count when blocks go by without what is open, though the first endpoint hides it', async () => {
    const lane = await takeWithGap();
    setCount(20);
    lane.rpc.callEach = async <T>() => ['0x14', '0x5'] as T[];
    await watchUntilStuck(lane);
    expect(await noops()).toEqual([]);
    const [{ id }] = lane.inFlight.open() as [Transaction];
    const first = { id, at: -Infinity, block: -1_000n, bidBlock: 0n };
    await watchLane(lane, { ...createLaneWatch(), movedAt: -Infinity, first });
    expect(await noops()).toEqual([5, 6, 7, 8]);
  });

  test('is filled as far as may be in flight, and further on when that is mined', async () => {
    const lane = await takeWithGap();
    const watch = await watchUntilStuck(lane);
    expect(await noops()).toEqual([5, 6, 7, 8]);
    await watchLane(lane, watch);
    expect(await noops()).toEqual([5, 6, 7, 8]);
    await mineNoops();
    setCount(9);
    await watchLane(lane, watch);
    expect(await noops()).toEqual([9, 10, 11, 12]);
    await mineNoops();
    setCount(13);
    await watchLane(lane, watch);
    expect(await noops()).toEqual([13, 14]);
  });

  test('is filled though as many as may be in flight are open above it', async () => {
    setCount(7);
    let lane = (await acquire())!;
    for (let sent = 0; sent < ENGINE_CONFIG.maxInFlight; sent += 1) {
      await send(lane);
      lane = await takeAnew();
    }
    setCount(5);
    const watch = await watchUntilStuck(lane);
    expect(await noops()).toEqual([5, 6]);
    expect(watch.isFilling).toBe(false);
  });

  test('is filled with money that is promised to nothing, but for the nonce that the chain takes next', async () => {
    const lane = await takeWithGap();
    chain.balance = 0n;
    await checkFunds(lane);
    expect((await watchUntilStuck(lane)).isFilling).toBe(true);
    expect(await noops()).toEqual([5]);
    await watchUntilStuck(lane);
    expect(await noops()).toEqual([5]);
  });

  describe('while an endpoint refuses what filling nonces takes', () => {
    test.each([
      ['the gas of a transfer', {}, 21_000n],
      // 200 bytes of an envelope, twice, at two gas each.
      ['and of its bytes on L1, where these are in the gas', { l1Fee: 'in-gas' } as const, 21_800n],
    ])('an estimate, a no-op gets %s', async (_name, fields, gasLimit) => {
      const lane = await takeWithGap(fields);
      refused = ['eth_estimateGas'];
      await watchUntilStuck(lane);
      expect(await query(db, 'select distinct gas_limit from transactions where is_noop')).toEqual([
        { gas_limit: gasLimit },
      ]);
    });

    test('a count, the lane bids more for what is in flight all the same', async () => {
      const lane = await takeWithGap({ minesOnDemand: true });
      refused = ['eth_getTransactionCount'];
      const stopping = new AbortController();
      const parts = { ...lane, rpc: { ...lane.rpc, unreachableForMs: () => 0 }, holder: 'one' };
      const holding = holdLane(lane, parts, createWakeups(stopping.signal), stopping.signal);
      await until(async () => (await query(db, 'select 1 from attempts')).length > 1);
      stopping.abort();
      await holding;
      expect(await noops()).toEqual([]);
    });
  });
});

describe('a call that reverts, of a contract whose nonce another program has used, as it seems,', () => {
  const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;

  test('fails once the final block has used that nonce, and not before', async () => {
    const lane = (await acquire())!;
    const { number } = await queueIntent(db, CONTRACT);
    const fail = (): Promise<boolean> =>
      failUnlessPremature(lane, { final: HEAD, head: HEAD }, { number, error, transactionHash: null });
    const draft = createDraft(CONTRACT, [number], { nonce: 5n, attempt: createAttempt(HEAD.hash) });
    expect((await insertTransaction(db, lane.key, draft)).id).not.toBeNull();
    // A wrong count said that another program had used its nonce.
    await query(
      db,
      `with lost as (update transactions set status = 'displaced', block_number = 9, block_hash = :hash)
       update intents set status = 'queued', decided_by = null`,
      { hash: toBytes(HEAD.hash) },
    );
    expect(await fail()).toBe(false);
    setCount(6);
    expect(await fail()).toBe(true);
  });
});
