import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { askOf, query } from '../../src/db/client.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import type { ChainProfile } from '../../src/chain/profile.ts';
import { LaneLost } from '../../src/engine/lane/lease.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { Lane } from '../../src/engine/lane/lane.ts';
import { dispatch } from '../../src/engine/send/dispatch.ts';
import { suspectDatabase } from '../../src/engine/send/suspect.ts';
import { acceptServer, findPendingEpochs } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { takeLane } from '../../src/engine/store/lanes.ts';
import { readSenderLook } from '../../src/engine/store/sender.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertChain, insertLane, makeSender } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;

const { db } = useSuiteDatabase(3);

beforeAll(() => insertAccount(db));

/**
 * What endpoints show: how many seconds before now, or after it, their head was made, the transactions of the signer
 * that each counts with those in its pool, or the error with which it refuses to, and those that are mined. And up to
 * where the reader has read.
 */
let chain: { madeAt: number; counts: number[] | RpcRefused; mined: number; read: number | null };

beforeEach(async () => {
  await db.raw('truncate intents, lanes, transactions, operators, contracts, chain cascade');
  await insertChain(db, ENGINE_CONFIG.operator);
  await query(db, 'update server set is_suspect = false');
  chain = { madeAt: -1, counts: [5, 5], mined: 5, read: 9 };
});

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

const rpc = {
  call: async <T>(method: string): Promise<T> => {
    const timestamp = quantity(Math.floor(Date.now() / 1_000) + chain.madeAt);
    return (method === 'eth_getBlockByHash' ? { timestamp } : quantity(chain.mined)) as T;
  },
  callEach: async <T>(): Promise<T[]> => {
    if (chain.counts instanceof RpcRefused) throw chain.counts;
    return chain.counts.map(quantity) as T[];
  },
};

/** A process that begins, and takes the lane: nonces up to 4 were used before. */
async function begin(
  profile: Partial<ChainProfile> = {},
): Promise<{ lane: Lane; mayIt: () => Promise<boolean> }> {
  const taken = await takeLane(db, SIGNER, {
    holder: 'one',
    leaseMs: 60_000,
    onChain: { nonce: 5n, isAtCanonicalHead: true },
  });
  await makeSender(db, SIGNER);
  const suspicion = suspectDatabase(db);
  const config = {
    ...ENGINE_CONFIG,
    profile: { ...ENGINE_CONFIG.profile, minesOnDemand: false, stuckMs: 3_600_000, ...profile },
  };
  const fresh = async () => {
    if (chain.read === null) return null;
    const block = { number: BigInt(chain.read), hash: `0x${'ab'.repeat(32)}` as const };
    return { final: block, head: block };
  };
  const parts = { config, rpc, chain: { fresh, expectBlock: () => undefined }, suspicion };
  const lane = openLane(createLaneParts(db, SIGNER, parts), taken!);
  return { lane, mayIt: () => suspicion.clear(lane, null) };
}

const beginEpochHere = (tag: string) =>
  query(db, `update operators set epoch = epoch + 1, raised_in = 12, tag = sha256('${tag}')`);

const epochsBegun = async (): Promise<number> => (await findPendingEpochs(db)).length;

test('a process sends once a block is read that was made after its start, and then whatever comes', async () => {
  const { mayIt } = await begin();
  const answers: boolean[] = [];
  for (const [read, madeAt] of [
    [null, 60],
    [9, -1],
    [10, -1],
    [11, 60],
    [12, -1],
  ] as const) {
    Object.assign(chain, { read, madeAt });
    answers.push(await mayIt());
  }
  expect(answers).toEqual([false, false, false, true, true]);
});

test('where the clock of the chain is behind, it waits for a block that comes within the stuck time', async () => {
  const { mayIt } = await begin({ stuckMs: 100 });
  Object.assign(chain, { madeAt: -3_600 });
  expect(await mayIt()).toBe(false);
  chain.read = 10;
  expect(await mayIt()).toBe(false);
  await sleep(150);
  expect(await mayIt()).toBe(true);
});

test('where blocks come on demand it waits for none', async () => {
  const { mayIt } = await begin({ minesOnDemand: true });
  expect(await mayIt()).toBe(true);
});

test('it does not send while one endpoint counts transactions that are neither known nor mined', async () => {
  const { lane, mayIt } = await begin({ minesOnDemand: true });
  chain.counts = [5, 6];
  expect(await mayIt()).toBe(false);
  const { number } = await queueIntent(db, CONTRACT);
  const draft = createDraft(CONTRACT, [number], {
    nonce: 5n,
    attempt: createAttempt(`0x${'e1'.repeat(32)}`),
  });
  await insertTransaction(db, lane.key, draft);
  expect(await mayIt()).toBe(true);
  expect(await epochsBegun()).toBe(0);
});

test('from then on nobody may cancel what it may have done, until it is known', async () => {
  const { lane } = await begin({ minesOnDemand: true });
  const mayIt = async () => lane.suspicion.clear(lane, (await readSenderLook(db, lane.key, [])).suspected);
  const { number } = await queueIntent(db, CONTRACT);
  const cancel = () => db.transaction((tx) => cancelQueued(tx, number));
  chain.counts = [6, 5];
  expect([await mayIt(), await cancel()]).toEqual([false, undefined]);
  chain.counts = [5, 5];
  expect(await mayIt()).toBe(true);
  expect(await cancel()).toMatchObject({ status: 'cancelled' });
});

test.each<[string, (lane: Lane) => unknown]>([
  ['is paused', (lane) => (lane.health.pause = { reason: 'signer', lookAt: 0 })],
  ['cannot pay', (lane) => (lane.funds.areEnough = false)],
])('a lane that %s makes no block that it waits for', async (_what, make) => {
  const { lane, mayIt } = await begin({ stuckMs: 0 });
  make(lane);
  // A no-op would ask for what this chain does not answer.
  expect([await mayIt(), await mayIt()]).toEqual([false, false]);
  expect(await query(db, 'select 1 from transactions')).toEqual([]);
});

test('what is mined by then counts no more', async () => {
  const { mayIt } = await begin({ minesOnDemand: true });
  chain.counts = [5, 6];
  expect(await mayIt()).toBe(false);
  chain.mined = 6;
  expect(await mayIt()).toBe(true);
});

test('transactions that stay unknown have no effect: a new epoch begins, once', async () => {
  const { mayIt } = await begin({ minesOnDemand: true, stuckMs: 0 });
  chain.counts = [6, 5];
  expect([await mayIt(), await epochsBegun()]).toEqual([true, 1]);
  await query(db, 'update operators set raised_in = 12');
  expect([await mayIt(), await epochsBegun()]).toEqual([true, 0]);
});

test('a process that has lost the lane begins none', async () => {
  const { mayIt } = await begin({ minesOnDemand: true, stuckMs: 0 });
  chain.counts = [6, 5];
  await query(db, 'update lanes set term = term + 1');
  await expect(mayIt()).rejects.toThrow(LaneLost);
  expect(await epochsBegun()).toBe(0);
});

test('an epoch that has begun since makes void what is unknown, and one of before does not', async () => {
  chain.counts = [6, 6];
  await beginEpochHere('before');
  const { mayIt } = await begin();
  expect(await mayIt()).toBe(false);
  await beginEpochHere('after');
  expect(await mayIt()).toBe(true);
});

test('an epoch whose raise a deep reorg took away is no new one', async () => {
  await beginEpochHere('before');
  const { mayIt } = await begin({ minesOnDemand: true });
  chain.counts = [6, 6];
  expect(await mayIt()).toBe(false);
  await query(db, 'update operators set raised_in = null');
  expect(await mayIt()).toBe(false);
});

test.each([
  ['tells of no pool lets it send', 'other', true],
  ['takes no more calls for a time does not', 'limited', false],
] as const)('an endpoint that %s', async (_what, kind, may) => {
  const { mayIt } = await begin({ minesOnDemand: true });
  chain.counts = new RpcRefused(kind, 'no', undefined, undefined);
  if (may) expect(await mayIt()).toBe(true);
  else await expect(mayIt()).rejects.toThrow(RpcRefused);
});

test('transactions of one moment begin no epoch, however long a block is waited for', async () => {
  const { mayIt } = await begin({ stuckMs: 100 });
  expect(await mayIt()).toBe(false);
  await sleep(150);
  chain.counts = [6, 5];
  expect([await mayIt(), await epochsBegun()]).toEqual([false, 0]);
});

test('a signer whose key is lost counts for nothing', async () => {
  const { mayIt } = await begin({ minesOnDemand: true });
  chain.counts = [6, 6];
  await query(db, 'update lanes set is_sender = false, retiring = true, buried = true');
  expect(await mayIt()).toBe(true);
});

/** After a failover, the process that has the lane of the sender in the copy goes on with that. */
async function vouch(): Promise<void> {
  await query(db, `update server set identity = 'another'`);
  await acceptServer(askOf(db), { holder: 'one', isUnheard: false });
}

test('after it vouched for another server a process waits for a block again, and while an endpoint counts more of any signer', async () => {
  const { lane } = await begin();
  const mayIt = async () => lane.suspicion.clear(lane, (await readSenderLook(db, lane.key, [])).suspected);
  await insertLane(db, OTHER, { isHeld: false });
  Object.assign(chain, { madeAt: 60 });
  const attempt = createAttempt(`0x${'e2'.repeat(32)}`);
  await insertTransaction(db, lane.key, createDraft(CONTRACT, [], { nonce: 5n, attempt }));
  expect(await mayIt()).toBe(true);
  const { number } = await queueIntent(db, CONTRACT);
  const cancel = () => db.transaction((tx) => cancelQueued(tx, number));

  await vouch();
  // What `OTHER` sent as the sender is not here.
  chain.counts = [6, 6];
  expect([await mayIt(), await cancel()]).toEqual([false, undefined]);
  Object.assign(chain, { mined: 6, madeAt: -60 });
  expect([await mayIt(), await cancel()]).toEqual([false, undefined]);
  chain.madeAt = 60;
  expect(await mayIt()).toBe(true);
  expect(await cancel()).toMatchObject({ status: 'cancelled' });
  expect([await mayIt(), await epochsBegun()]).toEqual([true, 0]);
});

test('a process that vouched looks for what others sent though it has nothing to send: until then nobody may cancel', async () => {
  const { lane } = await begin({ minesOnDemand: true });
  await vouch();
  expect(await readSenderLook(db, lane.key, [])).toMatchObject({
    isAnyQueued: false,
    suspected: expect.any(String),
  });
  expect(await dispatch(lane)).toBe('nothing');
  expect(await readSenderLook(db, lane.key, [])).toMatchObject({ suspected: null });
});
