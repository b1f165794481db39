import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { settleFinished } from '../../src/engine/settle/finished.ts';
import { failInTurn } from '../../src/engine/settle/verdict.ts';
import { findUnfinished } from '../../src/engine/store/find-unfinished.ts';
import { insertAttempt, insertNoop, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findOpenBelow, markIncluded } from '../../src/engine/store/mined.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';
import { LANE_CONFIG } from './lane-config.ts';

/*
 * A wrong count said that another program had used a nonce: its calls went back into the queue. Then the chain waits for it
 * after all, and a no-op takes it.
 */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, epoch: 1n };
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [CALL, NOOP, BID, ELSEWHERE, BLOCK] = ['a', 'b', 'c', 'd', 'e'].map(hashOf) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDb(database.url, 3);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contract_lanes cascade');
  await query(
    db,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', '-')`,
  );
  await query(
    db,
    `insert into lanes (signer, epoch, lease_until, next_nonce)
     select signer, 1, now() + interval '1 hour', 0 from unnest(:signers::bytea[]) as s (signer)`,
    { signers: [SIGNER, OTHER].map(toBytes) },
  );
});

const signed = (hash: Hex, wei = 10n) =>
  ({ hash, raw: '0x02', maxFeePerGas: wei, maxPriorityFeePerGas: wei }) as const;

async function queueIntent(mayComeLate = true): Promise<bigint> {
  const [row] = await query<{ number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, may_come_late)
     select gen_random_uuid(), id, 'live', 'mint', :contract, :contract, '\\x00', :contract, 1, 'queued', :mayComeLate from accounts
     returning number`,
    { contract: toBytes(CONTRACT), mayComeLate },
  );
  return row!.number;
}

const send = async (number: bigint, signer: Hex, hash: Hex): Promise<bigint> =>
  (await insertTransaction(
    db,
    { signer, epoch: 1n },
    {
      ...{
        nonce: 0n,
        gasLimit: 100_000n,
        expectedGas: 60_000,
        operator: CONTRACT,
        epoch: 1n,
        calldata: '0x00',
      },
      members: [{ number, contract: CONTRACT, gasCap: 50_000, fullGas: false }],
      attempt: signed(hash),
    },
  ))!;

/** Ends a transaction without a success of its calls; `minedHash` is null when its nonce went elsewhere. */
async function end(id: bigint, how: { minedHash: Hex | null; isBlameless: boolean }): Promise<void> {
  await query(
    db,
    `update transactions set status = :status, mined_hash = :hash, block_number = 1, block_hash = :block where id = :id`,
    {
      ...{ id: String(id), status: how.minedHash ? 'final' : 'displaced', block: toBytes(BLOCK) },
      hash: how.minedHash && toBytes(how.minedHash),
    },
  );
  await db.transaction((tx) => settleFinished(tx, { factories: [] }, [{ id, ...how }], [], () => true));
}

const noop = (hash: Hex) =>
  insertNoop(db, LANE, {
    ...{ nonce: 0n, gasLimit: 21_000n, operator: CONTRACT, epoch: 1n, attempt: signed(hash) },
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

async function statusOf(number: bigint): Promise<string> {
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

describe('what had a nonce before it was given up', () => {
  test('is not sent again, and known when it is mined all the same', async () => {
    const id = await reopen(await queueIntent());
    expect(await sentHashes()).toEqual([[NOOP]]);
    expect((await findOpenBelow(db, SIGNER, 1n))[0]!.hashes.toSorted()).toEqual([CALL, NOOP]);
    const inclusion = { hash: CALL, block: { number: 2n, hash: BLOCK }, isFinal: true };
    expect(await db.transaction((tx) => markIncluded(tx, [inclusion]))).toMatchObject([
      { id, minedHash: CALL },
    ]);
  });

  test('is sent when it is signed again: the same no-op, and the same bid for it', async () => {
    const id = (await noop(NOOP))!;
    expect(await insertAttempt(db, LANE, id, signed(BID, 20n))).toBe(true);
    for (const again of [ELSEWHERE, NOOP, NOOP]) {
      await end(id, { minedHash: null, isBlameless: true });
      expect(await noop(again)).toBe(id);
      expect(await sentHashes()).toEqual([[again]]);
    }
    expect(await insertAttempt(db, LANE, id, signed(BID, 20n))).toBe(true);
    expect(await sentHashes()).toEqual([[NOOP, BID]]);
    // That is all there is to it: the lane does not know what it sent.
    expect(await insertAttempt(db, LANE, id, signed(BID, 20n))).toBe(false);
  });
});

describe('while what was signed may be mined', () => {
  const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));

  /** A lane that nobody runs. */
  const lane = (): Lane =>
    openLane(
      {
        db,
        rpc: { call: () => Promise.reject(new Error('no chain')) },
        log: createLogger('silent'),
        config: LANE_CONFIG,
        effects: { settled: async () => undefined },
        chain: { fresh: async () => null, expectBlock: () => undefined },
        signer: { address: SIGNER, sign: () => Promise.reject(new Error('no key')) },
      },
      { epoch: 1n, nextNonce: 1n, healing: false },
    );

  test('its intent is not cancelled', async () => {
    const number = await queueIntent();
    const id = await reopen(number);
    expect(await cancel(number)).toBeUndefined();
    await end(id, { minedHash: NOOP, isBlameless: true });
    expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
  });

  test('a revert that a simulation found fails it not', async () => {
    const number = await queueIntent();
    const id = await reopen(number);
    const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
    const fail = () => failInTurn(lane(), { number, error, transactionHash: null });
    expect(await fail()).toBe(false);
    expect(await statusOf(number)).toBe('queued');
    await end(id, { minedHash: NOOP, isBlameless: true });
    expect(await fail()).toBe(true);
    expect(await statusOf(number)).toBe('failed');
  });

  test('a revert in the transaction of another signer fails it not: the end of both does', async () => {
    const number = await queueIntent();
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
        { factories: [] },
        [{ id: other, isBlameless: false, minedHash: ELSEWHERE }],
        [{ epoch: 1n, number, transactionHash: ELSEWHERE, result }],
        () => true,
      ),
    );
    expect(await statusOf(number)).toBe('submitted');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(number)).toBe('queued');
  });

  test('a control that a later one has overtaken neither fails nor goes again before that', async () => {
    const pause = await queueIntent(false);
    const first = await reopen(pause);
    const other = await send(pause, OTHER, ELSEWHERE);
    await query(
      db,
      `update intents set status = 'confirmed', transaction_hash = :hash where number = :number`,
      { number: String(await queueIntent(false)), hash: toBytes(BLOCK) },
    );
    await end(other, { minedHash: ELSEWHERE, isBlameless: true });
    expect(await statusOf(pause)).toBe('submitted');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(pause)).toBe('failed');
  });

  test('a call whose transaction is reverted as a whole waits for the other one', async () => {
    const number = await queueIntent();
    const first = await reopen(number);
    const other = await send(number, OTHER, ELSEWHERE);
    await query(db, 'update intents set lone_failures = 1');
    await end(other, { minedHash: ELSEWHERE, isBlameless: false });
    expect(await statusOf(number)).toBe('submitted');
    await end(first, { minedHash: NOOP, isBlameless: true });
    expect(await statusOf(number)).toBe('queued');
  });
});
