import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { PROFILES } from '../../src/chain/profile.ts';
import { RpcRefused, RpcUnreachable } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { readChain } from '../../src/engine/run/read-chain.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { createWakeup } from '../../src/lib/wakeups.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { EMPTY_BLOOM, OPERATOR, createNode, hashOf } from '../setup/forked-node.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const LEASE_MS = 600;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONFIG = {
  ...ENGINE_CONFIG,
  operator: OPERATOR,
  profile: { ...PROFILES['anvil']!, finality: 3 },
  timings: { ...ENGINE_CONFIG.timings, leaseMs: LEASE_MS, queueLookMs: 50, blockLookMs: 20, backoffMs: 50 },
};

const { db } = useSuiteDatabase(6);
let readers: (() => Promise<void>)[] = [];
let onLook: (head: number, isLatest: boolean) => void;

/** Everything up to block 10 is settled, and up to block 8 for good, a moment ago; nobody reads. */
beforeEach(async () => {
  onLook = () => undefined;
  await query(
    db,
    `update reader set term = 0, lease_until = '-infinity', final_number = 8, final_hash = :final,
            head_number = 10, head_hash = :head, looked_at = now()`,
    { final: toBytes(hashOf(8, [])), head: toBytes(hashOf(10, [])) },
  );
});

afterEach(async () => {
  await Promise.all(readers.map((stop) => stop()));
  readers = [];
});

/** A process that reads the chain, and of which somebody asks for the head all the time. */
function startReader(
  holder: string,
  { rpc }: Pick<ReturnType<typeof createNode>, 'rpc'>,
  {
    leaseMs = LEASE_MS,
    onWait = () => undefined,
    ...profile
  }: { leaseMs?: number; onWait?: (ms: number) => void; minesOnDemand?: boolean; stuckMs?: number } = {},
): void {
  const timings = { ...CONFIG.timings, leaseMs };
  const config = { ...CONFIG, timings, profile: { ...CONFIG.profile, ...profile } };
  const stopping = new AbortController();
  const { wake, wait } = createWakeup(stopping.signal);
  const wakeup = {
    wake,
    wait: (ms: number) => {
      onWait(ms);
      return wait(ms);
    },
  };
  const reading = readChain(
    {
      ...{ db, rpc: { ...rpc, unreachableForMs: () => 0 }, holder, config },
      log: createLogger('silent'),
      followUps: { settled: async () => undefined },
      wakeup,
      isAsked: () => true,
      onLook: (cursor, isLatest) => onLook(Number(cursor.head.number), isLatest),
      onEnd: () => undefined,
    },
    stopping.signal,
  );
  readers.push(async () => {
    stopping.abort();
    await reading;
  });
}

const readReader = async () =>
  (
    await query<{ term: bigint; holder: string; head: bigint }>(
      db,
      'select term, holder, head_number as head from reader',
    )
  )[0]!;

const readFinal = async () =>
  (await query<{ final: bigint }>(db, 'select final_number as final from reader'))[0]!.final;

/** Waits until the cursor is at this block, and says who has the lease then. */
async function waitForHead(number: bigint) {
  for (let look = 0; look < 6_000 && (await readReader()).head !== number; look += 1) await sleep(50);
  return readReader();
}

/** A node that has 40 blocks, and takes so long for each call. */
function createSlowNode(milliseconds: number) {
  const node = createNode();
  node.height = 40;
  node.before = () => sleep(milliseconds);
  return node;
}

test('a look that takes longer than the lease is not taken away by another process', async () => {
  startReader('one', createSlowNode(400));
  startReader('other', createSlowNode(400));
  expect(await waitForHead(40n)).toMatchObject({ term: 1n, head: 40n });
});

test('a process whose endpoint fails leaves the reading to another one', async () => {
  const broken = createNode();
  broken.before = () => Promise.reject(new RpcUnreachable('down'));
  startReader('one', broken);
  while ((await readReader()).term === 0n) await sleep(10);
  startReader('other', createSlowNode(0));
  expect(await waitForHead(40n)).toMatchObject({ holder: 'other', head: 40n });
});

test('nor does one whose looks fail while they read some blocks all the same', async () => {
  const limited = () => {
    const node = createNode();
    node.height = 560;
    let [window, calls] = [0, 0];
    node.before = async () => {
      const now = Math.floor(performance.now() / 100);
      calls = now === window ? calls + 1 : 1;
      window = now;
      if (calls > 10) throw new RpcRefused('limited', 'too many requests', undefined, undefined);
    };
    return node;
  };
  await query(db, 'update reader set head_number = 560, head_hash = :head', {
    head: toBytes(hashOf(560, [])),
  });
  // Shorter than reading them takes, and longer than a busy machine lets a process wait.
  startReader('one', limited(), { leaseMs: 5_000 });
  startReader('other', limited(), { leaseMs: 5_000 });
  for (let look = 0; look < 6_000 && (await readFinal()) !== 558n; look += 1) await sleep(50);
  expect(await readFinal()).toBe(558n);
  expect((await readReader()).term).toBe(1n);
});

test('a head that is far behind counts as looked at when nothing is missing any more', async () => {
  const node = createNode({ logsBloom: EMPTY_BLOOM });
  node.height = 2_500;
  const down = Promise.reject(new RpcUnreachable('down'));
  down.catch(() => undefined);
  const looks: [number, boolean][] = [];
  onLook = (...look) => {
    if (looks.push(look) === 1) node.before = () => down;
  };
  const lookedAt = () => query(db, 'select looked_at::text from reader');
  const before = await lookedAt();
  startReader('one', node);
  expect(await waitForHead(1_008n)).toMatchObject({ head: 1_008n });
  expect(await lookedAt()).toEqual(before);
  node.before = async () => undefined;
  await waitForHead(2_500n);
  expect(looks.slice(0, 3)).toEqual([
    [1_008, false],
    [2_008, false],
    [2_500, true],
  ]);
  expect(await lookedAt()).not.toEqual(before);
});

/** Stores an open transaction of a lane, and nothing beside it. */
async function openTransaction(): Promise<void> {
  await db.raw('truncate accounts, intents, transactions, lanes cascade');
  await insertAccount(db);
  await query(db, 'insert into lanes (signer, term, next_nonce, is_sender) values (:signer, 1, 0, true)', {
    signer: toBytes(SIGNER),
  });
  const { number } = await queueIntent(db, OPERATOR);
  const draft = createDraft(OPERATOR, [number], { attempt: createAttempt(hashOf(1, [])) });
  await insertTransaction(db, { signer: SIGNER, term: 1n }, draft);
}

test('nonces are counted at a new block at once, however long the next one takes', async () => {
  await openTransaction();
  const node = createNode({ logsBloom: EMPTY_BLOOM });
  const counted: unknown[] = [];
  node.instead['eth_getTransactionCount'] = ([, at]) => {
    counted.push(at);
    return '0x0';
  };
  node.timestampOf = (block) => 15 * block;
  const isCounted = (): boolean =>
    counted.some((at) => (at as { blockHash: string }).blockHash === hashOf(13, []));
  const waits: number[] = [];
  startReader('one', node, {
    minesOnDemand: false,
    onWait: (ms) => {
      if (!isCounted()) waits.push(ms);
    },
  });
  // From the fourth gap on it is known when the next block is due.
  for (const height of [11, 12, 13]) {
    node.height = height;
    await waitForHead(BigInt(height));
  }
  while (!isCounted()) await sleep(10);
  expect(Math.max(...waits)).toBeLessThanOrEqual(CONFIG.timings.receiptLookMs);
});

test('nonces are counted at a head that stays once, and again after the stuck time: it may have used one before', async () => {
  const STUCK_MS = 3_000;
  await openTransaction();
  const node = createNode({ logsBloom: EMPTY_BLOOM });
  node.height = 11;
  const counted: number[] = [];
  node.instead['eth_getTransactionCount'] = () => {
    counted.push(performance.now());
    return '0x0';
  };
  startReader('one', node, { stuckMs: STUCK_MS });
  while (counted.length < 3) await sleep(20);
  const gaps = counted.slice(1).map((at, place) => at - counted[place]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(STUCK_MS);
});
