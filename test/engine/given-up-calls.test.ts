import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { PROFILES } from '../../src/chain/profile.ts';
import { query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { mindAbandoned, resendOpen } from '../../src/engine/lane/broadcast.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { refreshInFlight } from '../../src/engine/lane/load.ts';
import { fillGap, fillGivenUp, giveUpCalls } from '../../src/engine/send/free-nonces.ts';
import { sendCalls } from '../../src/engine/send/send-calls.ts';
import type { ReadyCall } from '../../src/engine/send/refused.ts';
import { openAgainAbove } from '../../src/engine/store/deep-reorgs.ts';
import { findUnfinished } from '../../src/engine/store/transactions.ts';
import { insertTransaction, turnIntoNoops } from '../../src/engine/store/insert-transaction.ts';
import { noteIncluded, openAgainIn, openAgainWithoutEvent } from '../../src/engine/store/mined.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertChain, insertLane } from '../setup/lanes.ts';
import type { SomeParts } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { engineConfigOf } from './engine-config.ts';

/* Calls whose transaction does nothing for them go again once it is mined, and before what is behind them. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, term: 1n };
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const FIRST = hashOf('a');
const BLOCK = hashOf('e');

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
});

/** The database, whose transactions are answered after `wait`; they are counted from 0. */
function answering(wait: (transaction: number) => Promise<unknown>): Db {
  let transactions = 0;
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== 'transaction') return Reflect.get(target, name) as unknown;
      return async (work: Parameters<Db['transaction']>[0]) => {
        const number = transactions;
        transactions += 1;
        const result = await target.transaction(work);
        await wait(number);
        return result;
      };
    },
  });
}

/** Sends an intent of the contract with this nonce. Returns its transaction. */
async function send(nonce: bigint, hash: Hex): Promise<bigint> {
  const { number } = await queueIntent(db, CONTRACT);
  const draft = createDraft(CONTRACT, [number], { nonce, attempt: createAttempt(hash) });
  return (await insertTransaction(db, LANE, draft)).id!;
}

const update = (set: string, bindings: Record<string, Buffer> = {}) =>
  query(db, `update transactions set ${set} where nonce = 0`, bindings);
const MINED = { hash: toBytes(FIRST), block: toBytes(BLOCK) };

const WAYS: [string, () => Promise<unknown>, boolean][] = [
  ['is open', () => Promise.resolve(), false],
  [
    'is mined',
    () => update(`status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block`, MINED),
    false,
  ],
  ['is a no-op', () => update('is_noop = true'), true],
  [
    'is a no-op that is mined',
    () =>
      update(
        `is_noop = true, status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block`,
        MINED,
      ),
    false,
  ],
  [
    'was refused by the Operator',
    () =>
      update(
        `status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block, was_refused = true`,
        MINED,
      ),
    false,
  ],
  [
    'lost its nonce to another program',
    () => update(`status = 'mined', block_number = 1, block_hash = :block`, { block: MINED.block }),
    true,
  ],
];

describe('whether the contract of a call is left out of the queue', () => {
  /** A lane that nobody runs. */
  const createLane = () => {
    const parts = createLaneParts(db, SIGNER, { config: engineConfigOf(CONTRACT) });
    return openLane(parts, { term: 1n, nextNonce: 1n });
  };

  test.each(WAYS)('when its transaction %s', async (_name, happen, isLeftOut) => {
    await send(0n, FIRST);
    const watching = createLane();
    const [transaction] = await findUnfinished(db, SIGNER);
    watching.inFlight.add(transaction!);
    await happen();
    const taken = createLane();
    for (const unfinished of await findUnfinished(db, SIGNER)) taken.inFlight.add(unfinished);
    expect(taken.blocked.find()).toEqual(isLeftOut ? [CONTRACT] : []);
    await refreshInFlight(watching);
    // What is given up is known where that is done.
    if (!taken.inFlight.unfinished[0]!.isNoop)
      expect(watching.blocked.find()).toEqual(isLeftOut ? [CONTRACT] : []);
    await query(
      db,
      `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :block`,
      MINED,
    );
    await refreshInFlight(taken);
    expect(taken.blocked.find()).toEqual([]);
  });
});

describe('while the lane stores a transaction', () => {
  const OTHER_CONTRACT = `0x${'c1'.repeat(20)}` as const;
  const FEES = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
  const CALL_BYTES = '0xca11';
  const NOOP_BYTES = '0x00';

  /** What was broadcast: the first bytes of it, and the nonce. */
  let sent: string[];
  /** Called before a signature is there. */
  let beforeSigned: () => void;

  /** A lane that nobody runs, and that signs: what has calldata begins otherwise than a no-op. */
  async function openSendingLane(on = db): Promise<Lane> {
    const block = { number: '0x2', hash: BLOCK, baseFeePerGas: '0x1', gasLimit: '0x1c9c380' };
    const call = async <T>(method: string, [raw]: readonly unknown[]): Promise<T> => {
      if (method === 'eth_sendRawTransaction') sent.push(raw as string);
      if (method === 'eth_getBlockByNumber') return block as T;
      return (method === 'eth_getBalance' ? '0xde0b6b3a7640000' : '0x5208') as T;
    };
    let signatures = 0;
    const sign = async ({ nonce, data }: { nonce: bigint; data: Hex }) => {
      beforeSigned();
      signatures += 1;
      const raw: Hex = `${data === '0x' ? NOOP_BYTES : CALL_BYTES}${`0${nonce}`.slice(-2)}`;
      return { raw, hash: hashOf(String(signatures)) };
    };
    const parts = { config: engineConfigOf(CONTRACT), rpc: { call }, signer: { address: SIGNER, sign } };
    const lane = openLane(createLaneParts(on, SIGNER, parts), { term: 1n, nextNonce: 1n });
    await lane.latest.refresh();
    for (const transaction of await findUnfinished(db, SIGNER)) lane.inFlight.add(transaction);
    return lane;
  }

  /** Queues a call of each contract, as if it had been simulated. */
  async function queueReady(contracts: readonly Hex[]): Promise<ReadyCall[]> {
    for (const contract of contracts) await queueIntent(db, contract, { operator: CONTRACT });
    const { queued } = await findQueued(db, {
      ...{ excluded: [], pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
      ...{ accounts: 4, limit: 8, maxBytes: 1_000 },
    });
    return queued.map((intent) => ({ intent, gasCap: 50_000, gasUsed: 40_000 }));
  }

  /** Keeps the rows of a statement locked until `work` waits for them, and `meanwhile` is done. */
  async function whileLocked(
    rows: string,
    work: () => Promise<unknown>,
    meanwhile: () => unknown,
  ): Promise<void> {
    const working = await db.transaction(async (tx) => {
      await query(tx, `${rows} for update`);
      const result = work();
      const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await query(db, isWaiting)).length === 0) await sleep(5);
      await meanwhile();
      return { result };
    });
    await working.result;
  }

  const noops = () => query(db, 'select nonce from transactions where is_noop order by nonce');

  beforeEach(async () => {
    sent = [];
    beforeSigned = () => undefined;
    await send(0n, FIRST);
  });

  test('what would pass a call that goes again since it was signed is left out, and the rest is sent', async () => {
    const lane = await openSendingLane();
    const [first] = lane.inFlight.unfinished;
    beforeSigned = () => {
      first!.used = { hash: null, block: { number: 2n, hash: BLOCK } };
    };
    const ready = await queueReady([CONTRACT, OTHER_CONTRACT]);
    const stored = await sendCalls(lane, ready, FEES, 1_000_000);
    expect(stored?.calls.map(({ intent }) => intent.contract)).toEqual([OTHER_CONTRACT]);
    expect(
      await query(db, `select encode(contract, 'hex') as contract from intents where status = 'queued'`),
    ).toEqual([{ contract: CONTRACT.slice(2) }]);
    expect(sent).toEqual([`${CALL_BYTES}01`]);
  });

  /** Begins `work` of the other loop of the lane, and gives it time to get ahead of this one. */
  async function begin<Result>(work: () => Promise<Result>): Promise<{ result: Promise<Result> }> {
    const result = work();
    await Promise.race([result, sleep(500)]);
    return { result };
  }

  /** Stores what is ready, and gives up what is in front of it before that has ended. */
  async function giveUpWhileStored(lane: Lane, ready: readonly ReadyCall[]): Promise<void> {
    let giving: { result: Promise<void> } | null = null;
    await whileLocked(
      'select 1 from lanes',
      () => sendCalls(lane, ready, FEES, 1_000_000),
      async () => {
        giving = await begin(() => giveUpCalls(lane, lane.inFlight.unfinished[0]!));
      },
    );
    await giving!.result;
  }

  test('it becomes a no-op when what is in front of it gives up calls that it would pass', async () => {
    const lane = await openSendingLane();
    await giveUpWhileStored(lane, await queueReady([CONTRACT]));
    expect(await noops()).toEqual([{ nonce: 0n }, { nonce: 1n }]);
    expect(sent).toEqual([`${CALL_BYTES}01`, `${NOOP_BYTES}01`, `${NOOP_BYTES}00`]);
    // A pool may not have got the last one, and mine what was signed before it.
    sent = [];
    await resendOpen(lane);
    expect(sent.filter((raw) => String(raw).startsWith(NOOP_BYTES))).toEqual([
      `${NOOP_BYTES}01`,
      `${NOOP_BYTES}00`,
    ]);
  });

  test('nothing in front of it gives up calls that it would pass when it cannot become a no-op', async () => {
    const lane = await openSendingLane();
    const ready = await queueReady([CONTRACT]);
    let signatures = 0;
    beforeSigned = () => {
      signatures += 1;
      if (signatures === 3) throw new Error('no key');
    };
    await expect(giveUpWhileStored(lane, ready)).rejects.toThrow('no key');
    expect(await noops()).toEqual([]);
  });

  test('nothing is given up after it when nobody knows whether it was stored', async () => {
    const lane = await openSendingLane(answering(() => Promise.reject(new Error('no answer'))));
    const [first] = lane.inFlight.unfinished;
    const ready = await queueReady([CONTRACT]);
    await expect(sendCalls(lane, ready, FEES, 1_000_000)).rejects.toThrow('no answer');
    await expect(giveUpCalls(lane, first!)).rejects.toThrow('no answer');
    expect(await noops()).toEqual([]);
  });

  test('what is open of an epoch that is over is sent no more, and becomes a no-op', async () => {
    const begin = (raisedIn: number | null) =>
      query(db, 'update operators set epoch = 2, tag = :hash, raised_in = :raisedIn', {
        hash: MINED.hash,
        raisedIn,
      });
    const look = async (lane: Lane): Promise<void> => {
      await refreshInFlight(lane);
      await resendOpen(lane);
      await fillGivenUp(lane);
    };
    await insertChain(db, CONTRACT);
    const lane = await openSendingLane();
    // As long as its raise is not final, what is open may have its effect.
    await begin(null);
    await look(lane);
    expect(sent).toEqual(['0x02']);
    await begin(2);
    await look(lane);
    await look(lane);
    expect(sent).toEqual(['0x02', `${NOOP_BYTES}00`, `${NOOP_BYTES}00`]);
    expect(await noops()).toEqual([{ nonce: 0n }]);
  });

  test('what is open of an epoch that is over is sent by nobody for a lane that nobody holds', async () => {
    await insertChain(db, CONTRACT);
    const lane = await openSendingLane();
    await query(db, `update lanes set lease_until = now() - interval '1 hour', lease_ms = 1`);
    await query(db, 'update operators set epoch = 2, tag = :hash, raised_in = 2', { hash: MINED.hash });
    await mindAbandoned(lane);
    expect(sent).toEqual([]);
  });

  test('it is not stored behind what becomes a no-op at that time', async () => {
    const lane = await openSendingLane();
    const ready = await queueReady([CONTRACT]);
    let sending: { result: Promise<unknown> } | null = null;
    await whileLocked(
      'select 1 from transactions',
      () => giveUpCalls(lane, lane.inFlight.unfinished[0]!),
      async () => {
        sending = await begin(() => sendCalls(lane, ready, FEES, 1_000_000));
      },
    );
    expect(await sending!.result).toBeNull();
    expect(await noops()).toEqual([{ nonce: 0n }]);
    expect(sent).toEqual([`${NOOP_BYTES}00`]);
  });
});

test('transactions become no-ops all together, or none of them', async () => {
  const ids = [await send(0n, FIRST), await send(1n, hashOf('b'))];
  const giveUp = () =>
    turnIntoNoops(
      db,
      LANE,
      ids.map((id, index) => ({
        ...{ id, gasLimit: 21_000n, expectedFee: 0n },
        attempt: createAttempt(hashOf(String(index)), 9n),
      })),
    );
  const noops = () => query(db, 'select nonce from transactions where is_noop order by nonce');
  await query(
    db,
    `update transactions set status = 'mined', block_number = 1, block_hash = :block where nonce = 1`,
    { block: MINED.block },
  );
  expect(await giveUp()).toBe(false);
  expect(await noops()).toEqual([]);
  await query(
    db,
    `update transactions set status = 'open', block_number = null, block_hash = null where nonce = 1`,
  );
  expect(await giveUp()).toBe(true);
  expect(await noops()).toEqual([{ nonce: 0n }, { nonce: 1n }]);
});

describe('a transaction that was refused in a block which a reorg took back', () => {
  const REOPENINGS: [string, (tx: Tx) => Promise<unknown>][] = [
    ['of a block that is gone', (tx) => openAgainIn(tx, [BLOCK])],
    ['before a restart', (tx) => openAgainWithoutEvent(tx, { shown: [], pruned: [] })],
    ['that was final', (tx) => openAgainAbove(tx, 0n)],
  ];

  test.each(REOPENINGS)('counts as executed in another one: %s', async (_name, reopen) => {
    const id = await send(0n, FIRST);
    await update(
      `status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block, was_refused = true`,
      MINED,
    );
    const inclusion = { hash: FIRST, block: { number: 2n, hash: hashOf('f') }, isFinal: true };
    await db.transaction(async (tx) => {
      await reopen(tx);
      expect(await noteIncluded(tx, [inclusion])).toEqual([
        { id, isBlameless: false, minedHash: FIRST, callCount: 1 },
      ]);
    });
  });
});

test('a no-op bids nothing where gas costs nothing', async () => {
  const parts = createLaneParts(db, SIGNER, {
    config: { ...engineConfigOf(CONTRACT), profile: PROFILES['besu-gasless']! },
    rpc: {
      call: async <T>(method: string): Promise<T> => {
        const block = { number: '0x2', hash: BLOCK, baseFeePerGas: '0x0', gasLimit: '0x1c9c380' };
        return (method === 'eth_getBlockByNumber' ? block : '0x5208') as T;
      },
    },
    signer: { address: SIGNER, sign: async () => ({ raw: '0x03', hash: hashOf('d') }) },
  });
  const lane = openLane(parts, { term: 1n, nextNonce: 1n });
  await send(0n, FIRST);
  await query(db, 'update attempts set max_fee_per_gas = 0, max_priority_fee_per_gas = 0');
  const [transaction] = await findUnfinished(db, SIGNER);
  lane.inFlight.add(transaction!);
  await giveUpCalls(lane, transaction!);
  const fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  expect(transaction).toMatchObject({ isNoop: true, attempts: [fees] });
});

describe('a control that is stored while a nonce before it goes to a no-op, whose bytes may undo it, and all between them', () => {
  const OTHER_CONTRACT = `0x${'c1'.repeat(20)}` as const;
  const HEAD = { number: 2n, hash: BLOCK };
  const [CALL_BYTES, NOOP_BYTES] = ['0xca11', '0x00'] as const;

  let pause: bigint;
  let sent: string[];
  /** Called before a signature is there. */
  let beforeSigned: () => Promise<void>;
  /** How often an estimate is given until one is refused. */
  let estimates: number;

  const store = (nonce: bigint, contract: Hex, number: bigint, hash: Hex) =>
    insertTransaction(
      db,
      LANE,
      createDraft(contract, [number], {
        ...{ nonce, operator: CONTRACT, mayBeOvertaken: true },
        attempt: { ...createAttempt(hash), raw: `${CALL_BYTES}0${nonce}` },
      }),
    );

  const call = async <T>(method: string, [raw]: readonly unknown[] = []): Promise<T> => {
    const block = { number: '0x2', hash: BLOCK, baseFeePerGas: '0x1', gasLimit: '0x1c9c380' };
    if (method === 'eth_sendRawTransaction') sent.push(raw as string);
    if (method === 'eth_estimateGas') {
      estimates -= 1;
      if (estimates === -1) throw new Error('busy');
    }
    if (method === 'eth_getBlockByNumber') return block as T;
    if (method === 'eth_getTransactionCount') return '0x0' as T;
    return (method === 'eth_getBalance' ? '0xde0b6b3a7640000' : '0x5208') as T;
  };

  /** A lane with what is open. */
  async function openFillingLane(more: Partial<SomeParts> = {}): Promise<Lane> {
    const sign = async ({ nonce, data }: { nonce: bigint; data: Hex }) => {
      await beforeSigned();
      const raw: Hex = `${data === '0x' ? NOOP_BYTES : CALL_BYTES}0${nonce}`;
      return { raw, hash: hashOf(data === '0x' ? String(nonce) : 'c') };
    };
    const parts = createLaneParts(db, SIGNER, {
      ...{ config: engineConfigOf(CONTRACT), rpc: { call }, signer: { address: SIGNER, sign } },
      chain: { fresh: async () => ({ final: HEAD, head: HEAD }), expectBlock: () => undefined },
      ...more,
    });
    const lane = openLane(parts, { term: 1n, nextNonce: 2n });
    await lane.latest.refresh();
    for (const one of await findUnfinished(db, SIGNER)) lane.inFlight.add(one);
    return lane;
  }

  beforeEach(async () => {
    sent = [];
    estimates = Infinity;
    beforeSigned = async () => undefined;
    const controlOf = async (kind: string) =>
      (await queueIntent(db, CONTRACT, { kind, isControl: true })).number;
    pause = await controlOf('pause');
    await store(0n, CONTRACT, await controlOf('unpause'), FIRST);
    await update(`status = 'displaced', block_number = 1, block_hash = :block`, { block: MINED.block });
    await query(db, 'update intents set decided_by = null');
    await query(db, `update intents set status = 'queued', was_requeued = true`);
    const { number: mint } = await queueIntent(db, OTHER_CONTRACT, { operator: CONTRACT });
    await store(1n, OTHER_CONTRACT, mint, hashOf('b'));
  });

  const expectGivenUp = async (): Promise<void> =>
    expect(await query(db, 'select nonce, is_noop from transactions order by nonce')).toEqual([
      { nonce: 0n, is_noop: true },
      { nonce: 1n, is_noop: true },
      { nonce: 2n, is_noop: true },
    ]);

  /** The other loop of the lane stores it while the first no-op is signed. */
  const storeWhileSigned = (lane: Lane): void => {
    beforeSigned = async () => {
      beforeSigned = async () => undefined;
      expect((await store(2n, CONTRACT, pause, hashOf('c'))).id).not.toBeNull();
      for (const one of await findUnfinished(db, SIGNER)) if (one.nonce === 2n) lane.inFlight.add(one);
    };
  };

  test('go along when it is signed at that time', async () => {
    const lane = await openFillingLane();
    storeWhileSigned(lane);
    await fillGap(lane);
    await expectGivenUp();
    expect(sent).toEqual([`${NOOP_BYTES}02`, `${NOOP_BYTES}01`, `${NOOP_BYTES}00`]);
  });

  const LATER: [string, (lane: Lane) => Promise<Lane>][] = [
    ['the same process', async (lane) => lane],
    ['whoever has the lane then', () => openFillingLane()],
  ];

  test.each(LATER)('are not sent again by %s once they were given up', async (_name, next) => {
    const lane = await openFillingLane();
    storeWhileSigned(lane);
    await fillGap(lane);
    sent = [];
    await resendOpen(await next(lane));
    expect(sent.toSorted()).toEqual([`${NOOP_BYTES}00`, `${NOOP_BYTES}01`, `${NOOP_BYTES}02`]);
  });

  test.each(LATER)(
    'go along at the next look of %s when an endpoint fails the first one',
    async (_name, next) => {
      const lane = await openFillingLane();
      storeWhileSigned(lane);
      estimates = 1;
      await expect(fillGap(lane)).rejects.toThrow('busy');
      await fillGap(await next(lane));
      await expectGivenUp();
      expect(sent).toEqual([`${NOOP_BYTES}02`, `${NOOP_BYTES}01`, `${NOOP_BYTES}00`]);
    },
  );

  test('go along when the lane learns only afterwards that it was stored', async () => {
    const answered = Promise.withResolvers<void>();
    const lane = await openFillingLane({ db: answering(async (number) => number > 0 || answered.promise) });
    const { queued } = await findQueued(db, {
      ...{ excluded: [], pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
      ...{ accounts: 4, limit: 8, maxBytes: 1_000 },
    });
    const intent = queued.find(({ number }) => number === pause)!;
    const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n };
    const sending = sendCalls(lane, [{ intent, gasCap: 50_000, gasUsed: 40_000 }], fees, 1_000_000);
    while ((await query(db, 'select 1 from transactions where nonce = 2')).length === 0) await sleep(5);
    const filling = fillGap(lane);
    await Promise.race([filling, sleep(500)]);
    answered.resolve();
    await Promise.all([sending, filling]);
    await expectGivenUp();
    expect(sent.slice(-3)).toEqual([`${NOOP_BYTES}02`, `${NOOP_BYTES}01`, `${NOOP_BYTES}00`]);
  });

  test('go along when other nonces before them are as many as may be in flight', async () => {
    await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
    await insertAccount(db);
    await insertLane(db, SIGNER);
    await query(db, 'update lanes set next_nonce = 4');
    const controlOf = async (kind: string) =>
      (await queueIntent(db, CONTRACT, { kind, isControl: true })).number;
    pause = await controlOf('pause');
    // A wrong count skipped 0 to 3, and then 4 seemed to be used by another program.
    expect((await store(4n, CONTRACT, await controlOf('unpause'), FIRST)).id).not.toBeNull();
    await query(
      db,
      `update transactions set status = 'displaced', block_number = 1, block_hash = :block where nonce = 4`,
      { block: MINED.block },
    );
    await query(db, 'update intents set decided_by = null');
    await query(db, `update intents set status = 'queued', was_requeued = true`);
    expect((await store(5n, CONTRACT, pause, hashOf('f'))).id).not.toBeNull();
    await fillGap(await openFillingLane());
    expect(await query(db, 'select is_noop from transactions where nonce = 5')).toEqual([{ is_noop: true }]);
  });
});
