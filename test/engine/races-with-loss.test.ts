import { beforeEach, expect, test } from '@jest/globals';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { askOf, query } from '../../src/db/client.ts';
import { acceptGap } from '../../src/engine/index.ts';
import { createLostBytes } from '../../src/engine/settle/lost-bytes.ts';
import { writeAsking } from '../../src/engine/settle/write-asking.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { markCommitsLost } from '../../src/engine/store/commit-marks.ts';
import { moveToEpoch } from '../../src/engine/store/epochs.ts';
import { moveCursor, renewFollower, takeFollower } from '../../src/engine/store/follower.ts';
import { insertAttempt, insertNoop, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { raiseNewestNumber } from '../../src/engine/store/intent-numbers.ts';
import { markUncounted } from '../../src/engine/store/lane-commands.ts';
import { lockLane, renewLease, takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { GENERATION_BITS } from '../../src/engine/store/server.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { until } from '../embedded/hold.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);
const ask = askOf(db);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts, chain restart identity cascade');
  await db.raw(
    `update server set lost_generation = default, identity = server_identity(), unsure_up_to = 0; update follower set lease_until = '-infinity', silent_since = now() - interval '1 second', head_number = null, head_hash = null, final_number = null, final_hash = null`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

const ANSWERS: Record<string, unknown> = { eth_getTransactionCount: '0x5', eth_getLogs: [] };
const call = async <Result>(method: string): Promise<Result> => (ANSWERS[method] ?? '0x0') as Result;
const callEach = async <Result>(method: string): Promise<Result[]> => [await call<Result>(method)];
const GAP = { rpc: { call, callEach }, operator: OPERATOR, formerOperators: [], maxInFlight: 4, signers: [] };

const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));
const lookForUnsent = () => findNeverSent(db, { outOfReachMs: 0, limit: 10 });

test('what has no verdict when a gap is accepted is neither cancelled nor given up in a later epoch', async () => {
  const { number } = await queueIntent(db, OPERATOR);
  await acceptGap(db, GAP);
  const moved = await db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 2n }, [number]));
  expect([...moved]).toEqual([number]);
  expect(await lookForUnsent()).toEqual([]);
  expect(await cancel(number)).toBeUndefined();

  const later = await queueIntent(db, OPERATOR);
  expect(await cancel(later.number)).toMatchObject({ status: 'cancelled' });
});

test('lost bytes may be mined as long as commits are lost: which nonces they have is known once the gap is accepted', async () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  const isWaitedFor = () => {
    const parts = { db, rpc: { call }, config: { operator: OPERATOR, formerOperators: [], maxInFlight: 4 } };
    const lostBytes = createLostBytes(parts, async () => ({ final: block, head: block }));
    return writeAsking(async () => lostBytes.mayBeMined());
  };
  await insertLane(db, SIGNER);
  expect(await isWaitedFor()).toBe(false);
  await markCommitsLost(ask, 0n);
  expect(await isWaitedFor()).toBe(true);
});

test('a signer that is new gets no lane while commits are lost', async () => {
  await markCommitsLost(ask, 0n);
  expect(await take()).toBeUndefined();
});

test('a lane that is taken while the loss is written down is of no use to its holder', async () => {
  const before = await insertLane(db, SIGNER, { isHeld: false });
  const first = createDraft(OPERATOR, [], { attempt: createAttempt(`0x${'33'.repeat(32)}`) });
  const { id } = await insertTransaction(db, before, first);
  const { number } = await queueIntent(db, OPERATOR);
  const taken = await whileMarking(take);
  const lane = { signer: SIGNER, term: taken!.term };
  const transaction = createDraft(OPERATOR, [number], {
    nonce: 5n,
    attempt: createAttempt(`0x${'11'.repeat(32)}`),
  });
  const noop = {
    ...{ gasLimit: 21_000n, expectedFee: 0n, operator: OPERATOR, epoch: 1n },
    attempt: createAttempt(`0x${'22'.repeat(32)}`),
  };
  const uses = async (freeNonce: bigint) => [
    await db.transaction((tx) => lockLane(tx, lane)),
    await renewLease(db, lane, { leaseMs: 60_000, progressedMs: null }),
    await insertTransaction(db, lane, transaction),
    await insertNoop(db, lane, { ...noop, nonce: freeNonce }),
    await insertAttempt(db, lane, id!, createAttempt(`0x${'44'.repeat(32)}`, 2n)),
  ];
  expect(await uses(5n)).toEqual([false, undefined, { id: null, left: [] }, null, false]);
  await db.raw('update server set lost_generation = -1');
  expect(await uses(6n)).toEqual([true, { healing: false }, { id: 2n, left: [] }, 3n, true]);
});

test('a reader that begins while the loss is written down settles nothing', async () => {
  const reader = await whileMarking(() => takeFollower(db, 'two', 60_000));
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  const move = { from: null, to: { final: block, head: block }, lookedAt: null, leaseMs: 60_000 };
  const uses = async () => [
    await renewFollower(db, reader!.key, 60_000),
    await moveCursor(db, reader!.key, move),
  ];
  expect(await uses()).toEqual([false, false]);
  await db.raw('update server set lost_generation = -1');
  expect(await uses()).toEqual([true, true]);
});

test('nonces of lost bytes are counted where the chain is now, though the blocks that are settled are old', async () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  await insertLane(db, SIGNER);
  await db.raw('update lanes set lost_uncounted = true');
  let latest: '0x32' | null = null;
  const rpc = {
    call: async <Result>(_method: string, [, at]: readonly unknown[]): Promise<Result> => {
      if (at === 'latest' && !latest) throw new RpcRefused('limited', 'too many', undefined, undefined);
      return (at === 'latest' ? latest : '0x5') as Result;
    },
  };
  const isWaitedFor = () => {
    const parts = { db, rpc, config: { operator: OPERATOR, formerOperators: [], maxInFlight: 4 } };
    const lostBytes = createLostBytes(parts, async () => ({ final: block, head: block }));
    return writeAsking(async () => lostBytes.mayBeMined());
  };
  expect(await isWaitedFor()).toBe(true);
  expect(await query(db, 'select lost_uncounted, next_nonce from lanes')).toEqual([
    { lost_uncounted: true, next_nonce: 0n },
  ]);
  latest = '0x32';
  expect(await isWaitedFor()).toBe(true);
  expect(await query(db, 'select lost_uncounted, next_nonce from lanes')).toEqual([
    { lost_uncounted: false, next_nonce: 54n },
  ]);
});

test('lost bytes stay uncounted when more commits are lost while they are counted', async () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  await insertLane(db, SIGNER);
  await db.raw('update lanes set lost_uncounted = true');
  let areMoreLost = false;
  const rpc = {
    call: async <Result>(_method: string, [, at]: readonly unknown[]): Promise<Result> => {
      if (at === 'pending' && !areMoreLost) {
        areMoreLost = true;
        await markCommitsLost(ask, 0n);
        await markUncounted(db, []);
        await raiseNewestNumber(db, 1n << GENERATION_BITS);
      }
      return '0x5' as Result;
    },
  };
  const isWaitedFor = () => {
    const parts = { db, rpc, config: { operator: OPERATOR, formerOperators: [], maxInFlight: 4 } };
    const lostBytes = createLostBytes(parts, async () => ({ final: block, head: block }));
    return writeAsking(async () => lostBytes.mayBeMined());
  };
  expect(await isWaitedFor()).toBe(true);
  expect(await query(db, 'select lost_uncounted from lanes')).toEqual([{ lost_uncounted: true }]);
  expect(await isWaitedFor()).toBe(true);
  expect(await query(db, 'select lost_uncounted from lanes')).toEqual([{ lost_uncounted: false }]);
});

test('no nonces are left alone for a count that no pool can have', async () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  await insertLane(db, SIGNER);
  await db.raw('update lanes set lost_uncounted = true');
  const rpc = {
    call: async <Result>(_method: string, [, at]: readonly unknown[]): Promise<Result> =>
      (at === 'pending' ? '0x10000000000' : '0x5') as Result,
  };
  const parts = { db, rpc, config: { operator: OPERATOR, formerOperators: [], maxInFlight: 4 } };
  const lostBytes = createLostBytes(parts, async () => ({ final: block, head: block }));
  expect(await writeAsking(async () => lostBytes.mayBeMined())).toBe(true);
  expect(await query(db, 'select lost_uncounted, next_nonce from lanes')).toEqual([
    { lost_uncounted: true, next_nonce: 0n },
  ]);
});

const take = () =>
  takeLane(db, SIGNER, { holder: 'two', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } });

/** Runs `work`, which waits for what the loss is written down with: it began before, and ends after that. */
async function whileMarking<Result>(work: () => Promise<Result>): Promise<Result> {
  const marking = await db.transaction();
  await markCommitsLost(askOf(marking), 0n);
  const result = work();
  await until(
    async () =>
      (
        await query(
          marking,
          `select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`,
        )
      ).length > 0,
  );
  await marking.commit();
  return result;
}
