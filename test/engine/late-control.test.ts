import { beforeEach, describe, expect, test } from '@jest/globals';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { executedTopics, intentId } from '../../src/chain/abi/operator.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { leaveOvertaken } from '../../src/engine/send/leave-overtaken.ts';
import { createDoneBits, writeAsking } from '../../src/engine/verdict/asking.ts';
import { settleFinished } from '../../src/engine/verdict/finished.ts';
import { beginEpochs, moveToEpoch } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import type { Inserted } from '../../src/engine/store/insert-transaction.ts';
import { findOvertaker } from '../../src/engine/store/overtaken.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import type { QueuedIntent } from '../../src/engine/store/queue.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertChain, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG, SHARES } from './engine-config.ts';

/** Topics of the event of a call's success in epoch 1. */
const topicsOf = (number: bigint) => executedTopics(1n, number).map(([topic]) => topic!);

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;
const LATER_HASH = `0x${'bb'.repeat(32)}` as const;
const HEAD = { number: 9n, hash: `0x${'bb'.repeat(32)}` } as const;

const NOT_NOW = new RpcRefused('unavailable', 'missing trie node', undefined, undefined);

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertChain(db, CONTRACT);
  await insertLane(db, SIGNER);
});

const queue = async (kind: string, isControl: boolean): Promise<bigint> =>
  (await queueIntent(db, CONTRACT, { kind, isControl })).number;

/** How a transaction ended without a success of its call. */
interface End {
  /** A no-op, or refused by the Operator as a whole. */
  isBlameless: boolean;
  /** Whether it was mined, or its nonce went elsewhere. */
  isMined: boolean;
  /** Whether its call ran, and used up its cap. */
  isRun: boolean;
  /** Whether the Operator made no call, since it had done the intent before. */
  wasDone?: boolean;
}

const OUT_OF_GAS: End = { isBlameless: false, isMined: true, isRun: true };
const ENDS: [string, End][] = [
  ['used up its cap', OUT_OF_GAS],
  ['was reverted as a whole', { isBlameless: false, isMined: true, isRun: false }],
  ['was refused by the Operator, or gave up to a no-op', { isBlameless: true, isMined: true, isRun: false }],
  ['lost its nonce', { isBlameless: false, isMined: false, isRun: false }],
];

async function statusOf(number: bigint): Promise<string> {
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

/**
 * Sends an intent in a transaction that is final without a success of it. Returns its status, and what is kept of it.
 */
async function endWithout(
  number: bigint,
  { isBlameless, isMined, isRun, wasDone = false }: End,
  { isDone = false, mayBeMined = false } = {},
): Promise<{ status: string; inDoubt: boolean }> {
  const [lane] = await query<{ nonce: bigint }>(db, 'select next_nonce as nonce from lanes');
  const draft = createDraft(CONTRACT, [number], { nonce: lane!.nonce, attempt: createAttempt(HASH) });
  const id = (await insertTransaction(db, { signer: SIGNER, term: 1n }, draft)).id!;
  await query(
    db,
    `update transactions set status = :status, mined_hash = :hash, block_number = 1, block_hash = :block`,
    {
      ...{ status: isMined ? 'final' : 'displaced', hash: isMined ? toBytes(HASH) : null },
      block: toBytes(HASH),
    },
  );
  const gasUsed = BigInt(draft.members[0]!.gasCap);
  const result = wasDone
    ? { ok: false, gasUsed: 0n, returnData: alreadyDone(number) }
    : { ok: false, gasUsed, returnData: '0x' as const };
  const bits = createDoneBits(answerBits(isDone ? [number] : []), async () => HEAD);
  await writeAsking(() =>
    db.transaction((tx) =>
      settleFinished(
        tx,
        { bits, shares: SHARES, displacedNonces: { mayBeMined: () => mayBeMined } },
        [{ id, isBlameless, minedHash: isMined ? HASH : null, callCount: 1 }],
        isRun ? [{ epoch: 1n, number, transactionHash: HASH, result }] : [],
        () => true,
      ),
    ),
  );
  const [row] = await query<{ status: string; inDoubt: boolean }>(
    db,
    'select status, in_doubt as "inDoubt" from intents where number = :number',
    { number: String(number) },
  );
  return row!;
}

const alreadyDone = (number: bigint): Hex =>
  OPERATOR.encodeErrorResult('IntentAlreadyDone', [intentId(1n, number)]) as Hex;

/** A chain on which the Operator has done these intents, as far as they fit into one word of its bitmap. */
function answerBits(done: readonly bigint[]) {
  const word = done.reduce((bits, number) => bits | (1n << (number % 256n)), 0n);
  return {
    call: async <T>(_method: string, params: readonly unknown[]): Promise<T> => {
      expect(params[1]).toEqual({ blockHash: HEAD.hash });
      return `0x${word.toString(16)}` as T;
    },
  };
}

test.each(ENDS)(
  'a control that %s goes again when nothing later of its contract is done',
  async (_name, end) => {
    const pause = await queue('pause', true);
    await queue('unpause', true);
    expect(await endWithout(pause, end)).toEqual({ status: 'queued', inDoubt: false });
  },
);

test.each([
  ['fails', false, { status: 'failed', inDoubt: false }],
  ['goes again when the chain has done it', true, { status: 'queued', inDoubt: true }],
])('a call that is reverted as a whole, alone, for the second time, %s', async (_name, isDone, expected) => {
  const mint = await queue('mint', false);
  const end = (done: boolean) =>
    endWithout(mint, { isBlameless: false, isMined: true, isRun: false }, { isDone: done });
  expect(await end(false)).toEqual({ status: 'queued', inDoubt: false });
  await query(
    db,
    `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :hash`,
    { hash: toBytes(HASH) },
  );
  await query(db, 'delete from attempts');
  expect(await end(isDone)).toEqual(expected);
});

test('a call that lost its nonce as it seems is kept from being cancelled when the chain has done it', async () => {
  const mint = await queue('mint', false);
  const end = { isBlameless: false, isMined: false, isRun: false };
  expect(await endWithout(mint, end, { isDone: true })).toEqual({ status: 'queued', inDoubt: true });
  expect(await db.transaction((tx) => cancelQueued(tx, mint))).toBeUndefined();
});

test('a call that the Operator did before, as its event says, is kept from being cancelled', async () => {
  const mint = await queue('mint', false);
  const end = { isBlameless: false, isMined: true, isRun: true, wasDone: true };
  expect(await endWithout(mint, end)).toEqual({ status: 'queued', inDoubt: true });
  expect(await db.transaction((tx) => cancelQueued(tx, mint))).toBeUndefined();
});

test.each([
  ['fails', {}, 'failed'],
  ['goes again while that may be mined', { mayBeMined: true }, 'queued'],
  ['goes again when that was mined since', { isDone: true }, 'queued'],
])('a call that reverts, of which not all that was signed may be known, %s', async (_name, known, status) => {
  const mint = await queue('mint', false);
  await query(db, 'update intents set retry_stage = 1, in_doubt = true');
  expect(await endWithout(mint, OUT_OF_GAS, known)).toEqual({ status, inDoubt: true });
});

test.each([
  ['is about to be raised', ''],
  ['is raised for good', 'update operators set raised_in = 1'],
])(
  'a call that reverts when the epoch after its own %s goes again, and is cancelled only in that one',
  async (_when, raise) => {
    const mint = await queue('mint', false);
    await query(db, 'update intents set retry_stage = 1');
    await beginEpochs(db);
    if (raise) await query(db, raise);
    expect(await endWithout(mint, OUT_OF_GAS)).toEqual({ status: 'queued', inDoubt: true });
    const cancel = () => db.transaction((tx) => cancelQueued(tx, mint));
    expect(await cancel()).toBeUndefined();
    await query(db, 'update operators set raised_in = 1');
    await db.transaction((tx) => moveToEpoch(tx, { operator: CONTRACT, epoch: 2n }, [mint]));
    expect(await cancel()).toBeDefined();
  },
);

test('a bit that nobody can read at an old block counts as set, and at the newest one it is asked for again', async () => {
  const intent = { number: 1n, operator: CONTRACT, epoch: 1n };
  const read = (isOld: boolean) => {
    const bits = createDoneBits({ call: () => Promise.reject(NOT_NOW) }, async () => HEAD, { isOld });
    return writeAsking(async () => bits.findDone([intent]));
  };
  await expect(read(false)).rejects.toBe(NOT_NOW);
  expect(await read(true)).toEqual(new Set([1n]));
});

describe('what came back to the queue while a later one of its contract is in flight', () => {
  /** The Operator has done everything at these blocks, by hash, but for one intent, and nothing at others. */
  const bits = { doneAt: [] as Hex[], except: null as bigint | null, answers: Infinity };
  /** What the chain shows of transactions: all in its first block. */
  const shown = { receipt: null as object | null };
  /** What the chain was asked. */
  const asked: { method: string; params: readonly unknown[] }[] = [];

  const CURSOR = { final: { number: 1n, hash: HASH }, head: { number: 2n, hash: LATER_HASH } };
  /** What reads the chain: the cursor is null when nobody does. */
  const reader = { cursor: CURSOR as typeof CURSOR | null, looks: 0 };

  /** A lane that nobody runs. */
  const createLane = () => {
    const parts = createLaneParts(db, SIGNER, {
      config: ENGINE_CONFIG,
      rpc: {
        // A word of the bitmap, no events, and all nonces used.
        call: async <Result>(method: string, params: readonly unknown[]) => {
          asked.push({ method, params });
          if (method === 'eth_getLogs') return [] as Result;
          if (method === 'eth_getTransactionCount') return '0xff' as Result;
          if (method === 'eth_getTransactionReceipt') return shown.receipt as Result;
          if (method === 'eth_getBlockByNumber') return { number: '0x1', hash: HASH } as Result;
          bits.answers -= 1;
          if (bits.answers < 0) throw NOT_NOW;
          const { blockHash } = params[1] as { blockHash: Hex };
          const all = 2n ** 256n - 1n - (bits.except === null ? 0n : 2n ** (bits.except % 256n));
          return `0x${(bits.doneAt.includes(blockHash) ? all : 0n).toString(16)}` as Result;
        },
      },
      chain: {
        fresh: async () => {
          reader.looks += 1;
          return reader.cursor;
        },
        expectBlock: () => undefined,
      },
    });
    return openLane(parts, { term: 1n, nextNonce: 2n });
  };

  let lane: ReturnType<typeof createLane>;

  const look = async (excluded: readonly Hex[] = []): Promise<QueuedIntent[]> => {
    const { queued } = await findQueued(db, {
      ...{ excluded, pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
      ...{ accounts: 4, limit: 100, maxBytes: 1_000 },
    });
    return queued;
  };

  /** What a look finds and may be sent. */
  const sendable = async (excluded?: readonly Hex[]): Promise<bigint[]> =>
    (await leaveOvertaken(lane, await look(excluded))).map(({ number }) => number);

  /** The control is not sent, and is said to wait for the later one. */
  const expectHeld = async (control: bigint, later: bigint): Promise<void> => {
    expect(await sendable()).toEqual([]);
    expect(await statusOf(control)).toBe('queued');
    // The contract is left out of the next looks.
    expect(lane.blocked.find()).toEqual([CONTRACT]);
    const [overtaker] = await query<{ id: string }>(db, 'select id from intents where number = :number', {
      number: String(later),
    });
    expect(await findOvertaker(db, control)).toEqual(overtaker);
  };

  const send = (numbers: readonly bigint[], nonce: bigint, hash: Hex): Promise<Inserted> =>
    insertTransaction(
      db,
      { signer: SIGNER, term: 1n },
      createDraft(CONTRACT, numbers, { nonce, attempt: createAttempt(hash), mayBeOvertaken: true }),
    );

  /** Puts what was asked first back into the queue when what was asked second is in flight; a third one waits. */
  async function overtake(
    kind: string,
    { isControl = true, end = OUT_OF_GAS } = {},
  ): Promise<[bigint, bigint, bigint]> {
    const first = await queue(kind, isControl);
    const later = await queue('unpause', true);
    const last = await queue('mint', false);
    expect(await endWithout(first, end)).toMatchObject({ status: 'queued' });
    expect((await send([later], 1n, LATER_HASH)).id).not.toBeNull();
    return [first, later, last];
  }

  const settle = (number: bigint, set: string) =>
    query(db, `update intents set ${set} where number = :number`, { number: String(number) });
  /** Puts everything back into the queue, and does this with the transactions. */
  async function giveUp(set: string): Promise<void> {
    await query(db, `update transactions set ${set}`);
    await query(
      db,
      `update intents set status = 'queued', phase = 'open', decided_by = null, transaction_hash = null, was_requeued = true`,
    );
  }

  const CONFIRMED = `status = 'confirmed', phase = 'confirmed'`;
  const FAILED = `status = 'failed', phase = 'failed', error_code = 'CHAIN_ERROR', error_message = 'no', final_at = now()`;

  beforeEach(() => {
    Object.assign(bits, { doneAt: [], except: null, answers: Infinity });
    shown.receipt = null;
    asked.length = 0;
    Object.assign(reader, { cursor: CURSOR, looks: 0 });
    lane = createLane();
  });

  test.each([
    ['under way', `status = 'submitted'`],
    ['done in a block that a reorg may take back', CONFIRMED],
    ['in quarantine', `status = 'quarantined', phase = 'quarantined'`],
  ])('waits when it is a control, and what is behind it too: %s', async (_name, set) => {
    const [pause, later] = await overtake('pause');
    await settle(later, set);
    await expectHeld(pause, later);
  });

  test('waits for one that is queued, too, while bytes of that one may be mined', async () => {
    const [pause, later, last] = await overtake('pause');
    await settle(later, `status = 'queued', phase = 'open', decided_by = null, transaction_hash = null`);
    expect(await sendable()).toEqual([]);
    expect(await send([pause, later], 2n, HASH.replaceAll('a', 'c') as Hex)).toEqual({
      id: null,
      left: [pause],
    });
    await query(
      db,
      `update transactions set status = 'displaced', block_number = 1, block_hash = :hash where status = 'open'`,
      { hash: toBytes(HASH) },
    );
    lane = createLane();
    expect(await sendable()).toEqual([pause, later, last]);
  });

  test('waits for one that is queued, too, while a reorg could bring the bytes of that one back', async () => {
    const [pause, later, last] = await overtake('pause');
    await settle(later, `status = 'queued', phase = 'open', decided_by = null, transaction_hash = null`);
    await query(
      db,
      `update transactions set is_noop = true, status = 'mined', mined_hash = :hash, block_number = 2, block_hash = :hash
        where status = 'open'`,
      { hash: toBytes(LATER_HASH) },
    );
    expect(await sendable()).toEqual([]);
    await query(db, `update transactions set status = 'final' where status = 'mined'`);
    expect(await sendable()).toEqual([pause, later, last]);
  });

  describe('and that one is queued, too, and may be done in a transaction that is not found', () => {
    /** Returns the control, what was asked after it, and what was asked last. */
    async function doubt(): Promise<[bigint, bigint, bigint]> {
      const [pause, later, last] = await overtake('pause');
      await settle(
        later,
        `status = 'queued', phase = 'open', decided_by = null, transaction_hash = null, in_doubt = true`,
      );
      await query(
        db,
        `update transactions set status = 'displaced', block_number = 1, block_hash = :hash where status = 'open'`,
        { hash: toBytes(HASH) },
      );
      return [pause, later, last];
    }

    test('waits while that one is done', async () => {
      const [pause, later] = await doubt();
      bits.doneAt = [LATER_HASH];
      await expectHeld(pause, later);
    });

    test('waits while nobody can tell', async () => {
      await doubt();
      reader.cursor = null;
      expect(await sendable()).toEqual([]);
    });

    test('is sent when that one is not done', async () => {
      const [pause, later, last] = await doubt();
      expect(await sendable()).toEqual([pause, later, last]);
      expect((await send([pause, later, last], 2n, HASH.replaceAll('a', 'c') as Hex)).id).not.toBeNull();
    });

    test('fails once a receipt shows that one, which waits for nothing in front of it', async () => {
      const [pause, later, last] = await doubt();
      bits.doneAt = [HASH, LATER_HASH];
      const log = { address: CONTRACT, topics: topicsOf(later), data: `0x${'0'.repeat(128)}` };
      const block = { blockNumber: '0x1', blockHash: HASH };
      shown.receipt = { transactionHash: LATER_HASH, status: '0x1', gasUsed: '0x1', logs: [log], ...block };
      expect(await sendable()).toEqual([]);
      expect(await statusOf(later)).toBe('confirmed');
      bits.doneAt = [];
      expect(await sendable()).toEqual([last]);
      expect(await statusOf(pause)).toBe('failed');
    });
  });

  describe('and many later ones are queued, too, and done in transactions that are not found', () => {
    /** Returns the control, and what was asked after it. */
    async function doubtMany(count: number): Promise<{ pause: bigint; later: bigint[] }> {
      const pause = await queue('pause', true);
      const later: bigint[] = [];
      for (let one = 0; one < count; one += 1) later.push(await queue('unpause', true));
      expect((await send(later, 0n, LATER_HASH)).id).not.toBeNull();
      await giveUp(`status = 'displaced', block_number = 1, block_hash = decode(repeat('ee', 32), 'hex')`);
      await query(db, `update intents set in_doubt = true where kind = 'unpause'`);
      Object.assign(bits, { doneAt: [HASH, LATER_HASH], except: pause });
      return { pause, later };
    }

    test('looks for two at a time, for other ones after each pause', async () => {
      const { later } = await doubtMany(120);
      for (let turn = 0; turn < 3; turn += 1) {
        asked.length = 0;
        expect(await sendable()).toEqual([]);
        expect(asked.length).toBeLessThan(12);
        expect(lane.blocked.find()).toEqual([CONTRACT]);
        const searches = asked.flatMap(({ method, params }) => (method === 'eth_getLogs' ? params : []));
        expect(searches).toMatchObject(
          later.slice(2 * turn, 2 * turn + 2).map((number) => ({ topics: executedTopics(1n, number) })),
        );
      }
    });

    test('goes on without a pause while it finds what they came to', async () => {
      const { pause, later } = await doubtMany(3);
      const logs = later.map((number) => ({
        ...{ address: CONTRACT, topics: topicsOf(number), data: `0x${'0'.repeat(128)}` },
      }));
      const block = { blockNumber: '0x1', blockHash: HASH };
      shown.receipt = { transactionHash: LATER_HASH, status: '0x1', gasUsed: '0x1', logs, ...block };
      expect(await sendable()).toEqual([]);
      expect(await Promise.all(later.map(statusOf))).toEqual(['confirmed', 'confirmed', 'queued']);
      expect(await sendable(lane.blocked.find())).toEqual(later.slice(2));
      expect(await statusOf(pause)).toBe('failed');
    });
  });

  test('is sent when that one fails', async () => {
    const [pause, later, last] = await overtake('pause');
    await settle(later, FAILED);
    expect(await sendable()).toEqual([pause, last]);
    expect(await findOvertaker(db, pause)).toBeUndefined();
    expect((await send([pause], 2n, HASH.replaceAll('a', 'c') as Hex)).id).not.toBeNull();
  });

  test.each(ENDS)(
    'fails once that one is done for good, and lets what is behind it go: when it %s',
    async (_name, end) => {
      const [pause, later, last] = await overtake('pause', { end });
      await settle(later, `${CONFIRMED}, final_at = now()`);
      expect(await sendable()).toEqual([last]);
      expect(await statusOf(pause)).toBe('failed');
    },
  );

  test('waits for the end of that one though it came back when that was done already', async () => {
    const pause = await queue('pause', true);
    const later = await queue('unpause', true);
    await settle(later, `${CONFIRMED}, transaction_hash = '\\x${LATER_HASH.slice(2)}'`);
    expect(await endWithout(pause, OUT_OF_GAS)).toMatchObject({ status: 'queued' });
    expect(await sendable()).toEqual([]);
    // A reorg took that one back, and it failed.
    await settle(later, FAILED);
    expect(await sendable()).toEqual([pause]);
  });

  test.each([
    ['for good', [HASH, LATER_HASH]],
    ['in a block that a reorg may take back', [LATER_HASH]],
  ])('does not fail when the Operator has done it %s, though no event was found', async (_name, doneAt) => {
    const [pause, later] = await overtake('pause');
    await settle(later, `${CONFIRMED}, final_at = now()`);
    bits.doneAt = doneAt;
    expect(await sendable()).toEqual([]);
    expect(await statusOf(pause)).toBe('queued');
    expect(await query(db, 'select number from intents where in_doubt')).toEqual([{ number: pause }]);
  });

  test('holds up nobody else when the endpoint refuses to say more', async () => {
    const [pause, later] = await overtake('pause');
    await settle(later, `${CONFIRMED}, final_at = now()`);
    Object.assign(bits, { doneAt: [LATER_HASH], answers: 1 });
    expect(await sendable()).toEqual([]);
    expect(await statusOf(pause)).toBe('queued');
    expect(await query(db, 'select number from intents where in_doubt')).toEqual([{ number: pause }]);
  });

  test.each([
    ['nobody reads the chain', null, 1],
    ['an endpoint shows no event of what is done, and two are looked for at a time', CURSOR, 5],
  ])(
    'costs one look at the chain at a time, however much of it there is, and holds up nobody else: %s',
    async (_name, cursor, times) => {
      const contracts = Array.from(
        { length: 10 },
        (_, index) => `0x${String(index).padStart(40, '0')}` as const,
      );
      for (const contract of contracts)
        for (const kind of ['pause', 'unpause'])
          await queueIntent(db, contract, { kind, operator: CONTRACT, isControl: true });
      const mint = await queue('mint', false);
      await query(db, `update intents set was_requeued = true where kind = 'pause'`);
      await query(
        db,
        `update intents set ${CONFIRMED}, final_at = now(), transaction_hash = :hash where kind = 'unpause'`,
        { hash: toBytes(LATER_HASH) },
      );
      reader.cursor = cursor;
      bits.doneAt = [HASH, LATER_HASH];
      for (let time = 0; time < times; time += 1) expect(await sendable(lane.blocked.find())).toEqual([mint]);
      expect(reader.looks).toBe(times);
      expect(lane.blocked.find().toSorted()).toEqual(contracts);
    },
  );

  test('is sent when it is a mint', async () => {
    const [mint, , last] = await overtake('mint', { isControl: false });
    expect(await sendable()).toEqual([mint, last]);
    expect((await send([mint], 2n, HASH.replaceAll('a', 'c') as Hex)).id).not.toBeNull();
  });

  test('is not stored in a transaction, whatever was looked at before', async () => {
    const [pause, , last] = await overtake('pause');
    expect(await send([pause, last], 2n, HASH.replaceAll('a', 'c') as Hex)).toEqual({
      id: null,
      left: [pause],
    });
  });

  test.each([
    ['under way', `status = 'submitted'`],
    ['done in a block that a reorg may take back', CONFIRMED],
    ['done for good', `${CONFIRMED}, final_at = now()`],
  ])('is sent when what was asked after it is a mint: %s', async (_name, set) => {
    const [pause, later, last] = await overtake('pause');
    await settle(later, `is_control = false, ${set}`);
    expect(await sendable()).toEqual([pause, last]);
    expect((await send([pause], 2n, HASH.replaceAll('a', 'c') as Hex)).id).not.toBeNull();
  });

  test('waits for bytes of both, and is sent together with what was asked after it then', async () => {
    const [pause, unpause] = [await queue('pause', true), await queue('unpause', true)];
    expect((await send([pause, unpause], 0n, HASH)).id).not.toBeNull();
    await giveUp('is_noop = true');
    expect(await sendable()).toEqual([]);
    await giveUp(`status = 'final', mined_hash = decode(repeat('ee', 32), 'hex'), block_number = 1,
                  block_hash = decode(repeat('ee', 32), 'hex')`);
    expect(await sendable()).toEqual([pause, unpause]);
    expect((await send([pause, unpause], 1n, LATER_HASH)).id).not.toBeNull();
  });

  test('is sent together with what was asked after it', async () => {
    const pause = await queue('pause', true);
    const unpause = await queue('unpause', true);
    expect(await endWithout(pause, OUT_OF_GAS)).toMatchObject({ status: 'queued' });
    expect(await sendable()).toEqual([pause, unpause]);
    expect((await send([pause, unpause], 1n, LATER_HASH)).id).not.toBeNull();
  });

  test('is overtaken by no brake that went ahead of it when it is no control', async () => {
    const metadata = await queue('set_metadata', true);
    expect(await endWithout(metadata, OUT_OF_GAS)).toMatchObject({ status: 'queued' });
    const freeze = await queue('freeze', true);
    expect((await send([freeze], 1n, LATER_HASH)).id).not.toBeNull();
    const pause = await queue('pause', true);
    expect(await sendable()).toEqual([metadata, pause]);
    await settle(freeze, `${CONFIRMED}, final_at = now()`);
    expect(await sendable()).toEqual([metadata, pause]);
    expect(await statusOf(metadata)).toBe('queued');
  });
});
