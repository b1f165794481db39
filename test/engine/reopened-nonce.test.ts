import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { checkFunds } from '../../src/engine/lane/funds.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane, LaneParts } from '../../src/engine/lane/lane.ts';
import { loadLane } from '../../src/engine/lane/load.ts';
import { createWakeups, holdLane } from '../../src/engine/run/lane-loop.ts';
import { fillGivenUp } from '../../src/engine/send/free-nonces.ts';
import { leaveOvertaken } from '../../src/engine/send/leave-overtaken.ts';
import type { Execution } from '../../src/engine/verdict/receipts.ts';
import { settleFinished } from '../../src/engine/verdict/finished.ts';
import { failUnlessPremature } from '../../src/engine/verdict/verdict.ts';
import { reassignIntents, openAgainAbove, reopenSuccesses } from '../../src/engine/store/deep-reorgs.ts';
import { findUnfinished } from '../../src/engine/store/transactions.ts';
import { insertAttempt, insertNoop, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { noteIncluded, findOpenBelow } from '../../src/engine/store/mined.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import type { QueuedIntent } from '../../src/engine/store/queue.ts';
import { cancelQueued, confirmIntents, retractIntents } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertLane, makeSender } from '../setup/lanes.ts';
import type { SomeParts } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG, SHARES } from './engine-config.ts';

/*
 * A wrong count said that another program had used a nonce: its calls went back into the queue. Then the chain waits
 * for it after all, and a no-op takes it.
 */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const OTHER_CONTRACT = `0x${'c1'.repeat(20)}` as const;
const LANE = { signer: SIGNER, term: 1n };
const GWEI = 10n ** 9n;
const NOOP_BYTES = '0x03' as const;
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [CALL, NOOP, BID, ELSEWHERE, BLOCK] = ['a', 'b', 'c', 'd', 'e'].map(hashOf) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];

/** Nothing is done on the chain. */
const SETTLE = {
  bits: { findDone: () => new Set<bigint>() },
  displacedNonces: { mayBeMined: () => false },
  shares: SHARES,
};

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  for (const signer of [SIGNER, OTHER]) await insertLane(db, signer);
});

const queue = async (isControl = false): Promise<bigint> =>
  (await queueIntent(db, CONTRACT, { isControl })).number;

async function send(number: bigint, signer: Hex, hash: Hex, nonce = 0n): Promise<bigint> {
  await makeSender(db, signer);
  const draft = createDraft(CONTRACT, [number], { nonce, attempt: createAttempt(hash) });
  return (await insertTransaction(db, { signer, term: 1n }, draft)).id!;
}

/** The same, and it succeeds for good. */
async function succeed(number: bigint, signer: Hex, hash: Hex, nonce?: bigint): Promise<bigint> {
  const id = await send(number, signer, hash, nonce);
  await query(
    db,
    `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :block where id = :id`,
    { id: String(id), hash: toBytes(hash), block: toBytes(BLOCK) },
  );
  const success = { number, result: null, transactionHash: hash };
  await db.transaction((tx) => confirmIntents(tx, [success], true));
  return id;
}

/** Ends a transaction without a success of its calls; `minedHash` is null when its nonce went elsewhere. */
async function end(
  id: bigint,
  how: { minedHash: Hex | null; isBlameless: boolean },
  executions: readonly Omit<Execution, 'operator' | 'key'>[] = [],
): Promise<void> {
  await query(
    db,
    `update transactions set status = :status, mined_hash = :hash, block_number = 1, block_hash = :block where id = :id`,
    {
      ...{ id: String(id), status: how.minedHash ? 'final' : 'displaced', block: toBytes(BLOCK) },
      hash: how.minedHash && toBytes(how.minedHash),
    },
  );
  await db.transaction((tx) =>
    settleFinished(tx, SETTLE, [{ id, ...how, callCount: 1 }], executions, () => true),
  );
}

const noop = (hash: Hex) =>
  insertNoop(db, LANE, {
    ...{ nonce: 0n, gasLimit: 21_000n, expectedFee: 0n, operator: CONTRACT, epoch: 1n },
    attempt: createAttempt(hash),
  });

/** The intent of a transaction whose nonce was given up, and is filled with a no-op now. */
async function reopen(number: bigint): Promise<bigint> {
  const id = await send(number, SIGNER, CALL);
  await end(id, { minedHash: null, isBlameless: false });
  expect(await noop(NOOP)).toBe(id);
  return id;
}

const sentHashes = async () =>
  (await findUnfinished(db, SIGNER)).map(({ attempts }) => attempts.map(({ hash }) => hash));

const HELD = { number: 2n, hash: BLOCK };

/** A lane that nobody runs, and that signs nothing but the no-op. */
const openTestLane = (rpc: NonNullable<SomeParts['rpc']>, more: Partial<SomeParts> = {}): Lane =>
  openLane(
    createLaneParts(db, SIGNER, {
      config: ENGINE_CONFIG,
      rpc,
      chain: { fresh: async () => ({ final: HELD, head: HELD }), expectBlock: () => undefined },
      signer: { address: SIGNER, sign: async () => ({ raw: NOOP_BYTES, hash: NOOP }) },
      ...more,
    }),
    { term: 1n, nextNonce: 1n },
  );

async function look(): Promise<QueuedIntent[]> {
  const { queued } = await findQueued(db, {
    ...{ excluded: [], pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
    ...{ accounts: 4, limit: 8, maxBytes: 1_000 },
  });
  return queued;
}

/** A chain that takes what is sent, and writes it down. */
function createRpc(): { sent: unknown[]; call: LaneParts['rpc']['call'] } {
  const sent: unknown[] = [];
  const block = { number: '0x2', hash: BLOCK, baseFeePerGas: '0x1', gasLimit: '0x1c9c380' };
  const call = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
    if (method === 'eth_sendRawTransaction') sent.push(...params);
    return (method === 'eth_getBlockByNumber' ? block : '0x5208') as T;
  };
  return { sent, call };
}

async function statusOf(number: bigint): Promise<string> {
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

describe('what had a nonce before it was given up', () => {
  test('is not sent again, and known when it is mined all the same', async () => {
    const id = await reopen(await queue());
    expect(await sentHashes()).toEqual([[NOOP]]);
    expect((await findOpenBelow(db, SIGNER, 1n))[0]!.hashes.toSorted()).toEqual([CALL, NOOP]);
    const inclusion = { hash: CALL, block: { number: 2n, hash: BLOCK }, isFinal: true };
    expect(await db.transaction((tx) => noteIncluded(tx, [inclusion]))).toMatchObject([
      { id, minedHash: CALL },
    ]);
  });

  test('is not sent again after a deep reorg either: a no-op is', async () => {
    const number = await queue();
    const id = await send(number, SIGNER, CALL);
    await end(id, { minedHash: null, isBlameless: false });
    expect(await db.transaction((tx) => openAgainAbove(tx, 0n))).toEqual({
      sent: [],
      givenUp: [id],
      wereFinal: [],
    });
    expect(await statusOf(number)).toBe('queued');
    const { sent, call } = createRpc();
    const lane = openTestLane({ call });
    await loadLane(lane);
    // It costs nothing yet.
    await checkFunds(lane);
    await fillGivenUp(lane);
    expect(sent).toEqual([NOOP_BYTES]);
    expect(await sentHashes()).toEqual([[NOOP]]);
    expect((await findOpenBelow(db, SIGNER, 1n))[0]!.hashes.toSorted()).toEqual([CALL, NOOP]);
    expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
  });

  test('is final where it is mined after all, and a deep reorg that takes that block away takes its success back', async () => {
    const number = await queue();
    const id = await send(number, SIGNER, CALL);
    await end(id, { minedHash: null, isBlameless: false });
    const inclusion = { hash: CALL, block: { number: 5n, hash: BLOCK } };
    const include = (isFinal: boolean) =>
      db.transaction((tx) => noteIncluded(tx, [{ ...inclusion, isFinal }]));
    expect(await include(false)).toEqual([]);
    expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
    expect(await include(true)).toEqual([{ id, isBlameless: false, minedHash: CALL, callCount: 1 }]);
    const success = { number, result: null, transactionHash: CALL };
    await db.transaction((tx) => confirmIntents(tx, [success], true));
    // It seemed to be used in the first block.
    expect(await db.transaction((tx) => openAgainAbove(tx, 3n))).toEqual({
      sent: [id],
      givenUp: [],
      wereFinal: [],
    });
    expect(await db.transaction((tx) => reopenSuccesses(tx, [id]))).toMatchObject([{ intent: { number } }]);
  });

  test('is not sent again after a deep reorg when it is a control, and another lane is the sender since', async () => {
    const [pause, unpause] = [await queue(true), await queue(true)];
    const { number: mint } = await queueIntent(db, OTHER_CONTRACT, { operator: CONTRACT });
    const first = await succeed(pause, SIGNER, CALL);
    const second = await succeed(mint, SIGNER, BID, 1n);
    const third = await succeed(unpause, OTHER, ELSEWHERE);
    await makeSender(db, OTHER);
    const ids = [third, second];
    expect(await db.transaction((tx) => openAgainAbove(tx, 0n))).toEqual({
      ...{ sent: ids, givenUp: [first], wereFinal: [first] },
    });
    await db.transaction(async (tx) => {
      await reassignIntents(tx, ids);
      await reopenSuccesses(tx, [...ids, first]);
      await retractIntents(tx, [pause, mint, unpause]);
    });
    for (const number of [pause, mint, unpause]) expect(await statusOf(number)).toBe('submitted');
    const { sent, call } = createRpc();
    const sign = async ({ nonce }: { nonce: bigint }) => ({
      raw: `0x1${nonce}` as const,
      hash: hashOf(`${nonce}`),
    });
    const lane = openTestLane({ call }, { signer: { address: SIGNER, sign } });
    await loadLane(lane);
    await fillGivenUp(lane);
    // The mint, which may come late, is behind it, and goes along.
    expect(sent).toEqual(['0x02', '0x11', '0x10']);
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(pause)).toBe('queued');
    // The sender lets it wait for what was asked after it.
    expect(await leaveOvertaken(openTestLane({ call }), await look())).toEqual([]);
  });

  describe('when a deep reorg takes its block away and it goes back to its transaction', () => {
    const countsOf = async (number: bigint) => {
      const [row] = await query(
        db,
        `select status, burnt_gas > 0 as has_burnt, retry_stage from intents where number = :number`,
        { number: String(number) },
      );
      return row;
    };
    const toFirst = async (ids: readonly bigint[]): Promise<void> => {
      await db.transaction(async (tx) => {
        expect(await openAgainAbove(tx, 0n)).toEqual({ sent: ids, givenUp: [], wereFinal: [] });
        await reassignIntents(tx, ids);
      });
    };
    const burn = async (number: bigint): Promise<bigint> => {
      const id = await send(number, SIGNER, CALL);
      await end(id, { minedHash: CALL, isBlameless: false }, [
        {
          epoch: 1n,
          number,
          transactionHash: CALL,
          result: { ok: false, gasUsed: 50_000n, returnData: '0x' },
        },
      ]);
      expect(await countsOf(number)).toMatchObject({ status: 'queued', retry_stage: 1, has_burnt: true });
      return id;
    };

    test('a call that used up its cap there has used up nothing', async () => {
      const number = await queue();
      const id = await burn(number);
      await toFirst([id]);
      expect(await countsOf(number)).toEqual({
        ...{ status: 'submitted', has_burnt: false, retry_stage: 0 },
      });
    });

    test('a call that used up its cap in another transaction of it has used that up', async () => {
      const number = await queue();
      const first = await burn(number);
      const second = await send(number, SIGNER, BID, 1n);
      await end(second, { minedHash: BID, isBlameless: true });
      await toFirst([second, first]);
      expect(await countsOf(number)).toMatchObject({
        status: 'submitted',
        retry_stage: 1,
        has_burnt: true,
      });
    });

    test('a call that was reverted as a whole there, alone, was so once less', async () => {
      const number = await queue();
      const id = await send(number, SIGNER, CALL);
      await end(id, { minedHash: CALL, isBlameless: false });
      expect(await countsOf(number)).toMatchObject({ status: 'queued', has_burnt: true, retry_stage: 2 });
      await toFirst([id]);
      expect(await countsOf(number)).toMatchObject({
        status: 'submitted',
        has_burnt: false,
        retry_stage: 0,
      });
    });
  });

  test('is outbid after a deep reorg, the last nonce first: it may be in a pool', async () => {
    const bids = [30n * GWEI, 90n * GWEI];
    for (const [nonce, bid] of bids.entries()) {
      const attempt = createAttempt(hashOf(String(nonce)), bid);
      const draft = createDraft(CONTRACT, [await queue()], { nonce: BigInt(nonce), attempt });
      const { id } = await insertTransaction(db, LANE, draft);
      await end(id!, { minedHash: null, isBlameless: false });
    }
    await db.transaction((tx) => openAgainAbove(tx, 0n));
    const { sent, call } = createRpc();
    const signed = new Map<bigint, bigint>();
    const lane = openTestLane(
      { call },
      {
        signer: {
          address: SIGNER,
          sign: async ({ nonce, maxFeePerGas }) => {
            signed.set(nonce, maxFeePerGas);
            return { raw: `0x0${nonce}`, hash: hashOf(nonce === 0n ? 'a' : 'b') };
          },
        },
      },
    );
    await loadLane(lane);
    await fillGivenUp(lane);
    expect(sent).toEqual(['0x01', '0x00']);
    for (const [nonce, bid] of bids.entries())
      expect(signed.get(BigInt(nonce))).toBeGreaterThan((bid * 112n) / 100n);
  });

  test('keeps no lane from being paused when its signer does not sign, and is filled as soon as it does', async () => {
    const number = await queue();
    await end(await send(number, SIGNER, CALL), { minedHash: null, isBlameless: false });
    await query(db, `update intents set status = 'cancelled', phase = 'cancelled', final_at = now()`);
    await db.transaction((tx) => openAgainAbove(tx, 0n));
    const signer = { isThere: false };
    const sign = async () => {
      if (!signer.isThere) throw new Error('no key service');
      return { raw: NOOP_BYTES, hash: NOOP };
    };
    const { call } = createRpc();
    const timings = { ...ENGINE_CONFIG.timings, pauseMs: 50, queueLookMs: 20 };
    const lane = openTestLane(
      { call },
      { config: { ...ENGINE_CONFIG, timings }, signer: { address: SIGNER, sign } },
    );
    const stopping = new AbortController();
    const parts = { ...lane, rpc: { ...lane.rpc, unreachableForMs: () => 0 }, holder: 'one' };
    const holding = holdLane(lane, parts, createWakeups(stopping.signal), stopping.signal);
    const pauses = () => query(db, `select 1 from lanes where trouble = 'signer'`);
    // It would end with the error of its signer.
    await Promise.race([holding, until(async () => (await pauses()).length === 1)]);
    expect(await sentHashes()).toEqual([[]]);
    signer.isThere = true;
    await until(async () => (await sentHashes())[0]!.length === 1);
    await until(async () => (await pauses()).length === 0);
    stopping.abort();
    await holding;
  });

  test('is sent when it is signed again: the same no-op, and the same bid for it', async () => {
    const id = (await noop(NOOP))!;
    expect(await insertAttempt(db, LANE, id, createAttempt(BID, 20n))).toBe(true);
    for (const again of [ELSEWHERE, NOOP, NOOP]) {
      await end(id, { minedHash: null, isBlameless: true });
      expect(await noop(again)).toBe(id);
      expect(await sentHashes()).toEqual([[again]]);
    }
    expect(await insertAttempt(db, LANE, id, createAttempt(BID, 20n))).toBe(true);
    expect(await sentHashes()).toEqual([[NOOP, BID]]);
    // That is all there is to it: the lane does not know what it sent.
    expect(await insertAttempt(db, LANE, id, createAttempt(BID, 20n))).toBe(false);
  });
});

describe('while what was signed may be mined', () => {
  const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));

  test('its intent is not cancelled', async () => {
    const number = await queue();
    const id = await reopen(number);
    expect(await cancel(number)).toBeUndefined();
    await end(id, { minedHash: NOOP, isBlameless: true });
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('a revert that a simulation found fails it not', async () => {
    const number = await queue();
    const id = await reopen(number);
    const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
    const lane = openTestLane({ call: () => Promise.reject(new Error('no chain')) });
    const fail = () =>
      failUnlessPremature(lane, { final: HELD, head: HELD }, { number, error, transactionHash: null });
    expect(await fail()).toBe(false);
    expect(await statusOf(number)).toBe('queued');
    await end(id, { minedHash: NOOP, isBlameless: true });
    expect(await fail()).toBe(true);
    expect(await statusOf(number)).toBe('failed');
  });

  test('its intent is not cancelled, though it lost its nonce as it seems, until its signer is buried', async () => {
    const number = await queue();
    await end(await send(number, SIGNER, CALL), { minedHash: null, isBlameless: false });
    expect(await cancel(number)).toBeUndefined();
    await query(
      db,
      'update lanes set retiring = true, buried = true, is_sender = false where signer = :signer',
      {
        signer: toBytes(SIGNER),
      },
    );
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test.each([
    ['fails it not while no final block has used its nonce', '0x0', false],
    ['fails it once a final block has used its nonce', '0x1', true],
  ])(
    'a revert that a simulation found, though it lost its nonce as it seems, %s',
    async (_name, count, failed) => {
      const number = await queue();
      await end(await send(number, SIGNER, CALL), { minedHash: null, isBlameless: false });
      const call = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
        expect([method, params]).toEqual(['eth_getTransactionCount', [SIGNER, { blockHash: HELD.hash }]]);
        return count as T;
      };
      const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
      const failure = { number, error, transactionHash: null };
      expect(await failUnlessPremature(openTestLane({ call }), { final: HELD, head: HELD }, failure)).toBe(
        failed,
      );
    },
  );

  test('a revert in the transaction of another signer fails it not, though it lost its nonce as it seems', async () => {
    const number = await queue();
    await end(await send(number, SIGNER, CALL), { minedHash: null, isBlameless: false });
    const other = await send(number, OTHER, ELSEWHERE);
    const result = { ok: false, gasUsed: 100n, returnData: '0x' } as const;
    const finish = (mayBeMined: boolean) =>
      db.transaction((tx) =>
        settleFinished(
          tx,
          { ...SETTLE, displacedNonces: { mayBeMined: () => mayBeMined } },
          [{ id: other, isBlameless: false, minedHash: ELSEWHERE, callCount: 1 }],
          [{ epoch: 1n, number, transactionHash: ELSEWHERE, result }],
          () => true,
        ),
      );
    await finish(true);
    expect(await statusOf(number)).toBe('queued');
    await query(
      db,
      `update intents set status = 'submitted', transaction_hash = :hash, in_doubt = false, decided_by = :id`,
      { id: String(other), hash: toBytes(ELSEWHERE) },
    );
    await finish(false);
    expect(await statusOf(number)).toBe('failed');
  });

  test('a revert in the transaction of another signer fails it not: the end of both does', async () => {
    const number = await queue();
    const first = await reopen(number);
    const other = await send(number, OTHER, ELSEWHERE);
    await query(
      db,
      `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :hash
                      where id = :id`,
      { id: String(other), hash: toBytes(ELSEWHERE) },
    );
    const result = { ok: false, gasUsed: 100n, returnData: '0x' } as const;
    await db.transaction((tx) =>
      settleFinished(
        tx,
        SETTLE,
        [{ id: other, isBlameless: false, minedHash: ELSEWHERE, callCount: 1 }],
        [{ epoch: 1n, number, transactionHash: ELSEWHERE, result }],
        () => true,
      ),
    );
    expect(await statusOf(number)).toBe('submitted');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(number)).toBe('queued');
  });

  test('a control that a later one has overtaken neither fails nor goes again before that', async () => {
    const pause = await queue(true);
    const first = await reopen(pause);
    const other = await send(pause, OTHER, ELSEWHERE);
    await query(
      db,
      `update intents set status = 'confirmed', phase = 'confirmed', transaction_hash = :hash where number = :number`,
      { number: String(await queue(true)), hash: toBytes(BLOCK) },
    );
    await query(db, `update intents set final_at = now() where status = 'confirmed'`);
    await end(other, { minedHash: ELSEWHERE, isBlameless: true });
    const lane = openTestLane({ call: async <T>() => '0x0' as T });
    const sendable = async (): Promise<QueuedIntent[]> => leaveOvertaken(lane, await look());
    expect(await sendable()).toEqual([]);
    expect(await statusOf(pause)).toBe('queued');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await sendable()).toEqual([]);
    expect(await statusOf(pause)).toBe('failed');
  });

  test('a call whose transaction is reverted as a whole waits for the other one', async () => {
    const number = await queue();
    const first = await reopen(number);
    const other = await send(number, OTHER, ELSEWHERE);
    await query(db, 'update intents set retry_stage = 2');
    await end(other, { minedHash: ELSEWHERE, isBlameless: false });
    expect(await statusOf(number)).toBe('submitted');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(number)).toBe('queued');
  });

  test('a success that a reorg takes back goes again when the transaction of another signer has ended without it', async () => {
    const number = await queue();
    await reopen(number);
    const other = await send(number, OTHER, ELSEWHERE);
    const success = { number, result: null, transactionHash: CALL };
    await db.transaction((tx) => confirmIntents(tx, [success], false));
    await end(other, { minedHash: ELSEWHERE, isBlameless: true });
    expect(await statusOf(number)).toBe('confirmed');
    expect(await db.transaction((tx) => retractIntents(tx, [number]))).toMatchObject([
      { intent: { number, status: 'queued', transactionHash: null } },
    ]);
    expect(await cancel(number)).toBeUndefined();
    const draft = createDraft(CONTRACT, [number], { nonce: 1n, attempt: createAttempt(BID) });
    expect(await insertTransaction(db, { signer: OTHER, term: 1n }, draft)).not.toBeNull();
    expect(await statusOf(number)).toBe('submitted');
  });
});
