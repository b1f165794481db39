import { beforeEach, describe, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import type { Log } from '../../src/chain/abi/operator.ts';
import { createCanonicalBlocks } from '../../src/chain/follower/canonical-blocks.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import type { RefusalKind } from '../../src/chain/rpc/classify.ts';
import { query } from '../../src/db/client.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import { createDisplacedNonces, writeAsking } from '../../src/engine/verdict/asking.ts';
import { settlePassedNonces } from '../../src/engine/settle/passed-nonces.ts';
import type { PassedSince } from '../../src/engine/settle/passed-nonces.ts';
import { insertAttempt, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findUnfinishedLanes, finishMined } from '../../src/engine/store/mined.ts';
import type { BlockId } from '../../src/lib/block-id.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { makeSender } from '../setup/lanes.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG, engineConfigOf } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, term: 1n };
const hashOf = (digits: string): Hex => `0x${digits.repeat(32)}`;
const [FIRST, SECOND] = [hashOf('aa'), hashOf('bb')];
const blockOf = (number: bigint, hash = hashOf(`0${number}`)): BlockId => ({ number, hash });
/** Of the canonical fork, and older than its final block. */
const OLD = blockOf(0n);

const { db } = useSuiteDatabase(3);

/** By hash of the transaction: the block that its receipt names. */
let receipts: Map<Hex, BlockId>;
/** Of each receipt. */
let logs: Log[];
/** The final block as it is shown by its number, and the intents that are done at the head. */
let shown: { final: BlockId; done: bigint[] };
/** The calls of the transaction. */
let numbers: bigint[];

/** By hash of the transaction: how its receipt is refused. */
let refusals: Map<Hex, RefusalKind>;
let since: PassedSince;
/** How many receipts were asked for. */
let asked: number;
/** The nonce that the chain takes next, as the endpoint in use says, and as another one does. */
let count: bigint;
let countElsewhere: bigint | null;
/** Whether transactions were reverted as a whole, and what is answered to a call that asks why. */
let reverted: RpcRefused | null;

beforeEach(async () => {
  receipts = new Map();
  asked = 0;
  refusals = new Map();
  since = new Map();
  logs = [];
  shown = { final: blockOf(1n), done: [] };
  count = 1n;
  countElsewhere = null;
  reverted = null;
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await query(db, 'insert into lanes (signer, term, next_nonce, is_sender) values (:signer, 1, 0, true)', {
    signer: toBytes(SIGNER),
  });
  await query(
    db,
    `update reader set term = 1, final_number = 1, final_hash = :final, head_number = 3, head_hash = :head`,
    { final: toBytes(blockOf(1n).hash), head: toBytes(blockOf(3n).hash) },
  );
  numbers = [(await queueIntent(db, CONTRACT)).number, (await queueIntent(db, CONTRACT)).number];
  const draft = createDraft(CONTRACT, numbers, { attempt: createAttempt(FIRST) });
  const { id } = await insertTransaction(db, LANE, draft);
  await insertAttempt(db, LANE, id!, createAttempt(SECOND, 2n));
});

/** A chain that shows no receipt but those. */
async function call<T>(method: string, [param, at]: readonly unknown[]): Promise<T> {
  if (method === 'eth_getTransactionCount') return `0x${count.toString(16)}` as T;
  if (method === 'eth_getBlockByNumber')
    return [OLD, shown.final].find(({ number }) => number === BigInt(param as Hex)) as T;
  if (method === 'eth_call' && reverted) throw reverted;
  if (method === 'eth_call') {
    expect(at).toEqual({ blockHash: blockOf(3n).hash });
    return `0x${shown.done.reduce((word, number) => word | (1n << (number % 256n)), 0n).toString(16)}` as T;
  }
  if (method === 'eth_getTransactionReceipt') asked += 1;
  else throw new Error(`not asked: ${method}`);
  const refusal = refusals.get(param as Hex);
  if (refusal) throw new RpcRefused(refusal, 'old data not available due to pruning', -32_000, undefined);
  const block = receipts.get(param as Hex);
  if (!block) return null as T;
  const place = { blockNumber: `0x${block.number.toString(16)}`, blockHash: block.hash };
  const own = logs.map((log) => ({ ...log, transactionHash: param }));
  const status = reverted ? '0x0' : '0x1';
  return { transactionHash: param, status, gasUsed: '0x4c4b40', logs: own, ...place } as T;
}

async function callEach<T>(method: string, params: readonly unknown[]): Promise<T[]> {
  const answer = await call<T>(method, params);
  return countElsewhere === null ? [answer] : [answer, `0x${countElsewhere.toString(16)}` as T];
}

/** One look of the reader of the chain, which holds the blocks from 1 to 3; the first of them is final, or this one. */
async function look(final = blockOf(1n)): Promise<boolean> {
  const canonical = createCanonicalBlocks(blockOf(1n));
  const header = (number: bigint) => ({
    ...blockOf(number),
    ...({ parentHash: blockOf(number - 1n).hash, logsBloom: '0x', logs: [] } as const),
  });
  const added = [header(2n), header(3n)];
  canonical.accept({ removed: [], added, final, head: blockOf(3n), isLatest: true });
  const parts = {
    ...{ db, rpc: { call, callEach }, log: createLogger('silent'), key: { term: 1n } },
    followUps: { settled: async () => undefined },
    config: { ...engineConfigOf(CONTRACT), timings: { ...defaultTimings, receiptLookMs: 0 } },
  };
  const { open } = await findUnfinishedLanes(db);
  return settlePassedNonces(parts, canonical, open, since);
}

const OPERATOR = new Interface(operatorAbi);
/** Events of the Operator, in epoch 1. */
function logOf(name: string, number: bigint, ...values: unknown[]): Log {
  const { data, topics } = OPERATOR.encodeEventLog(name, [(1n << 64n) | number, ...values]);
  return { address: CONTRACT, data: data as Hex, topics: topics as Hex[] };
}
const executed = (number: bigint): Log => logOf('CallExecuted', number, 50_000n, 0n);
const failed = (number: bigint, reason: string): Log =>
  logOf('CallFailed', number, reason === '0x' ? 30_000n : 0n, reason);
const alreadyDone = (number: bigint): string =>
  OPERATOR.encodeErrorResult('IntentAlreadyDone', [(1n << 64n) | number]);

async function standing(): Promise<{ status: string; hash: Hex | null; block: Hex | null }> {
  const [row] = await query<{ status: string; mined_hash: Hex | null; block_hash: Hex | null }>(
    db,
    'select status, mined_hash, block_hash from transactions',
  );
  const { status, mined_hash: hash, block_hash: block } = row!;
  return { status, hash, block };
}

test.each([
  ['first', 'second', FIRST, SECOND],
  ['second', 'first', SECOND, FIRST],
])(
  'when an endpoint shows the %s attempt in a block of another fork, the %s counts, which is in a canonical block',
  async (_elsewhere, _held, elsewhere, here) => {
    receipts = new Map([
      [elsewhere, blockOf(3n, hashOf('ff'))],
      [here, blockOf(2n)],
    ]);
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'mined', hash: here, block: blockOf(2n).hash });
  },
);

test('an attempt that is only in a block of another fork says nothing', async () => {
  receipts.set(FIRST, blockOf(3n, hashOf('ff')));
  expect(await look()).toBe(false);
  expect(await standing()).toEqual({ status: 'open', hash: null, block: null });
});

test('what is taken for used by another program is asked for until that is final', async () => {
  expect(await look()).toBe(true);
  expect(await standing()).toEqual({ status: 'mined', hash: null, block: blockOf(3n).hash });
  expect(await look()).toBe(false);
  receipts.set(SECOND, blockOf(2n));
  expect(await look()).toBe(true);
  expect(await standing()).toEqual({ status: 'mined', hash: SECOND, block: blockOf(2n).hash });
  expect(await look()).toBe(false);
});

describe('a receipt in a block that is older than the canonical ones', () => {
  const statuses = async () => {
    const rows = await query<{ status: string }>(db, 'select status from intents order by number');
    return rows.map(({ status }) => status);
  };

  beforeEach(() => void receipts.set(FIRST, OLD));

  test('is believed when all that it says agrees with the bits', async () => {
    logs = [executed(numbers[0]!), failed(numbers[1]!, '0x')];
    shown.done = [numbers[0]!];
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'final', hash: FIRST, block: OLD.hash });
    expect(await statuses()).toEqual(['confirmed', 'failed']);
  });

  test.each([
    ['a success of a call that is not done', true],
    ['a failure of a call that is done', false],
  ])('is not believed at all when it has %s beside what agrees: it is of another fork', async (_name, ok) => {
    const [first, second] = numbers as [bigint, bigint];
    logs = [executed(first), ok ? executed(second) : failed(second, '0x')];
    shown.done = ok ? [first] : [first, second];
    expect(await look()).toBe(false);
    expect(await standing()).toEqual({ status: 'open', hash: null, block: null });
    expect(await statuses()).toEqual(['submitted', 'submitted']);
  });

  test('is believed about a call that was done before, which goes back to the queue', async () => {
    const [first, second] = numbers as [bigint, bigint];
    logs = [executed(first), failed(second, alreadyDone(second))];
    shown.done = [first];
    expect(await look()).toBe(false);
    shown.done = [first, second];
    expect(await look()).toBe(true);
    expect(await statuses()).toEqual(['confirmed', 'queued']);
  });

  test('is believed though a call failed there that another transaction has done', async () => {
    const [first, second] = numbers as [bigint, bigint];
    await query(db, `update intents set status = 'confirmed', phase = 'confirmed' where number = :number`, {
      number: String(second),
    });
    logs = [executed(first), failed(second, '0x')];
    shown.done = [first, second];
    expect(await look()).toBe(true);
    expect(await statuses()).toEqual(['confirmed', 'confirmed']);
  });

  test('is not believed when who shows its block shows another one in the place of a canonical block', async () => {
    shown.final = blockOf(1n, hashOf('ff'));
    expect(await look()).toBe(false);
    expect(await standing()).toEqual({ status: 'open', hash: null, block: null });
  });
});

describe('a nonce that one endpoint of two counts as used', () => {
  beforeEach(() => void (countElsewhere = 0n));

  test('is not taken for used by another program', async () => {
    expect(await look()).toBe(false);
    expect(await standing()).toMatchObject({ status: 'open' });
  });

  test('is open again where it was', async () => {
    countElsewhere = null;
    expect(await look()).toBe(true);
    countElsewhere = 0n;
    expect(await look(blockOf(3n))).toBe(true);
    expect(await standing()).toMatchObject({ status: 'open' });
  });

  test('lets its bytes be mined yet', async () => {
    using clock = installMonotonicClock();
    countElsewhere = null;
    await look();
    clock.advance(ENGINE_CONFIG.profile.stuckMs);
    await look(blockOf(3n));
    expect(await standing()).toMatchObject({ status: 'displaced' });
    const cursor = { final: blockOf(1n), head: blockOf(3n) };
    const mayBeMined = async (): Promise<boolean> => {
      const lost = createDisplacedNonces({ db, rpc: { callEach } }, async () => cursor);
      return writeAsking(async () => lost.mayBeMined());
    };
    expect(await mayBeMined()).toBe(false);
    countElsewhere = 0n;
    expect(await mayBeMined()).toBe(true);
  });
});

describe('what is taken for used by another program', () => {
  test('is open again when the chain waits for that nonce after all', async () => {
    expect(await look()).toBe(true);
    count = 0n;
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'open', hash: null, block: null });
    expect(await look()).toBe(false);
  });

  test.each([
    ['is given up when that is final and a count still says so', 1n, 'displaced'],
    ['is not given up, however deep that is, when a count says otherwise then', 0n, 'open'],
  ])('%s', async (_name, then, status) => {
    using clock = installMonotonicClock();
    expect(await look()).toBe(true);
    // The reader ends what is in a block as soon as that is final, and counts after that.
    expect(await db.transaction((tx) => finishMined(tx, [blockOf(3n).hash]))).toEqual([]);
    expect(await standing()).toMatchObject({ status: 'mined' });
    clock.advance(ENGINE_CONFIG.profile.stuckMs);
    count = then;
    expect(await look(blockOf(3n))).toBe(true);
    expect(await standing()).toMatchObject({ status, hash: null });
  });

  test('is not given up in less than the time in which a transaction counts as stuck, though the head is final', async () => {
    using clock = installMonotonicClock();
    const [head, marked] = [blockOf(3n), { status: 'mined', hash: null, block: blockOf(3n).hash }];
    expect(await look(head)).toBe(true);
    expect(await standing()).toEqual(marked);
    clock.advance(ENGINE_CONFIG.profile.stuckMs - 1_000);
    expect(await look(head)).toBe(false);
    expect(await standing()).toEqual(marked);
    clock.advance(1_000);
    expect(await look(head)).toBe(true);
    expect(await standing()).toMatchObject({ status: 'displaced' });
  });

  test('is not given up by the look that finds it, however long an endpoint refused receipts, when the head is final', async () => {
    using clock = installMonotonicClock();
    refusals = new Map([FIRST, SECOND].map((hash) => [hash, 'unavailable']));
    expect(await look(blockOf(3n))).toBe(false);
    clock.advance(ENGINE_CONFIG.profile.stuckMs);
    expect(await look(blockOf(3n))).toBe(true);
    expect(await standing()).toMatchObject({ status: 'mined' });
    count = 0n;
    expect(await look(blockOf(3n))).toBe(true);
    expect(await standing()).toMatchObject({ status: 'open' });
  });
});

describe('a receipt that is refused', () => {
  const OTHER = { signer: `0x${'02'.repeat(20)}`, term: 1n } as const;
  const THIRD = hashOf('cc');
  const statuses = () =>
    query<{ status: string }>(db, 'select status from transactions order by id').then((rows) =>
      rows.map(({ status }) => status),
    );

  beforeEach(() => {
    refusals = new Map([FIRST, SECOND].map((hash) => [hash, 'unavailable']));
  });

  test('holds up no transaction of another signer', async () => {
    await query(db, 'insert into lanes (signer, term, next_nonce) values (:signer, 1, 0)', {
      signer: toBytes(OTHER.signer),
    });
    await makeSender(db, OTHER.signer);
    const { number } = await queueIntent(db, CONTRACT);
    const draft = createDraft(CONTRACT, [number], { attempt: createAttempt(THIRD) });
    await insertTransaction(db, OTHER, draft);
    await query(db, 'update transactions set is_noop = true where signer = :signer', {
      signer: toBytes(OTHER.signer),
    });
    receipts.set(THIRD, blockOf(2n));
    expect(await look()).toBe(true);
    expect(await statuses()).toEqual(['open', 'mined']);
  });

  test('says nothing when that of another attempt tells', async () => {
    refusals.delete(SECOND);
    receipts.set(SECOND, blockOf(2n));
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'mined', hash: SECOND, block: blockOf(2n).hash });
  });

  test('counts as none only after the time in which a transaction counts as stuck', async () => {
    using clock = installMonotonicClock();
    expect(await look()).toBe(false);
    clock.advance(ENGINE_CONFIG.profile.stuckMs - 1_000);
    expect(await look()).toBe(false);
    expect(await statuses()).toEqual(['open']);
    clock.advance(1_000);
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'mined', hash: null, block: blockOf(3n).hash });
    expect(await look(blockOf(3n))).toBe(true);
    expect(await statuses()).toEqual(['displaced']);
  });

  test('for too many calls is asked for again, however long that takes', async () => {
    using clock = installMonotonicClock();
    refusals.set(FIRST, 'limited');
    await expect(look()).rejects.toThrow(RpcRefused);
    clock.advance(10 * ENGINE_CONFIG.profile.stuckMs);
    await expect(look()).rejects.toThrow(RpcRefused);
    expect(await statuses()).toEqual(['open']);
  });
});

test.each<[string, RefusalKind, boolean]>([
  ['nobody is to blame when nobody can tell any more whether the Operator executed it', 'unavailable', true],
  ['its calls are to blame when the Operator would have executed it', 'other', false],
])('of a transaction that was reverted as a whole %s', async (_name, kind, wasRefused) => {
  receipts.set(FIRST, blockOf(2n));
  reverted = new RpcRefused(kind, 'missing trie node', undefined, undefined);
  expect(await look()).toBe(true);
  expect(await query(db, 'select status, was_refused from transactions')).toEqual([
    { status: 'mined', was_refused: wasRefused },
  ]);
});

test.each([
  [1, 5_000_000],
  [2, 0],
])('of a transaction of %d calls that was reverted as a whole each is charged %d', async (calls, burnt) => {
  await db.raw('truncate transactions cascade');
  await query(db, 'update lanes set next_nonce = 0');
  await query(db, `update intents set status = 'queued', decided_by = null, sent_in = '{}'`);
  numbers = numbers.slice(0, calls);
  const draft = createDraft(CONTRACT, numbers, { attempt: createAttempt(FIRST) });
  await insertTransaction(db, LANE, draft);
  receipts.set(FIRST, OLD);
  reverted = new RpcRefused('other', 'execution reverted', 3, '0x');
  expect(await look()).toBe(true);
  expect(
    await query(db, 'select status, burnt_gas from intents where number = any(:numbers::bigint[])', {
      numbers: numbers.map(String),
    }),
  ).toEqual(numbers.map(() => ({ status: 'queued', burnt_gas: burnt })));
  // It is the receipt that told of the revert.
  expect(asked).toBe(1);
});

test('a success that is not final is unfinished, though its transaction is not', async () => {
  const isAny = async () => (await findUnfinishedLanes(db)).isAny;
  expect(await isAny()).toBe(true);
  await query(
    db,
    `update transactions set status = 'final', mined_hash = :hash, block_number = 2, block_hash = :hash`,
    { hash: toBytes(FIRST) },
  );
  await query(db, `update intents set status = 'confirmed', phase = 'confirmed'`);
  expect(await isAny()).toBe(true);
  await query(db, 'update intents set final_at = now()');
  expect(await isAny()).toBe(false);
});

test('while commits may be lost, or an epoch is about to begin, no block is passed over', async () => {
  await db.raw('truncate intents, transactions cascade');
  const look = async () => {
    const { isAny, looksForUnknown } = await findUnfinishedLanes(db);
    return [isAny, looksForUnknown];
  };
  expect(await look()).toEqual([false, false]);
  await query(db, `update server set identity = 'another'`);
  expect(await look()).toEqual([true, true]);
  await query(db, `update server set identity = server_identity()`);
  await query(
    db,
    `insert into operators (address, epoch, tag, raised_in, is_current)
                   values (:address, 2, sha256(''), null, false)`,
    { address: toBytes(`0x${'0e'.repeat(20)}`) },
  );
  expect(await look()).toEqual([true, true]);
  await query(db, 'delete from operators where raised_in is null');
});
