import { beforeEach, expect, test } from '@jest/globals';
import { askOf, query } from '../../src/db/client.ts';
import type { Tx } from '../../src/db/client.ts';
import { acceptLoss, beginEpochs, createKnownCommits, findPendingEpochs } from '../../src/engine/index.ts';
import { readCurrent, tieToChain } from '../../src/engine/store/operators.ts';
import { noteCommitsLost, noteRaisedElsewhere } from '../../src/engine/store/newest-commits.ts';
import { acceptServer, noteRaised, skipRaisedElsewhere } from '../../src/engine/store/epochs.ts';
import { moveCursor, renewReader, takeReader } from '../../src/engine/store/reader.ts';
import { insertAttempt, insertNoop, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { lockLane, renewLease, takeLane } from '../../src/engine/store/lanes.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;

const { db } = useSuiteDatabase(3);
const ask = askOf(db);
/** Of a process that vouches for nothing. */
const UNHEARD = { holder: 'nobody', isUnheard: true };

beforeEach(async () => {
  await db.raw(
    'truncate accounts, intents, lanes, transactions, contracts, chain, operators restart identity cascade',
  );
  await db.raw(
    `update server set lost_since = null, losses = 0, identity = server_identity(); update reader set lease_until = '-infinity', head_number = null, head_hash = null, final_number = null, final_hash = null`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

test('a signer that is new gets no lane while commits are lost', async () => {
  await noteCommitsLost(ask, 0);
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
  expect(await uses(5n)).toEqual([false, false, { id: null, left: [] }, null, false]);
  await db.raw('update server set lost_since = null');
  expect(await uses(6n)).toEqual([true, true, { id: 2n, left: [] }, 3n, true]);
});

test('a reader that begins while the loss is written down settles nothing', async () => {
  const reader = await whileMarking(() => takeReader(db, 'two', 60_000));
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  const move = { from: null, to: { final: block, head: block }, lookedAt: null, leaseMs: 60_000 };
  const uses = async () => [
    await renewReader(db, reader!.key, 60_000),
    await moveCursor(db, reader!.key, move),
  ];
  expect(await uses()).toEqual([false, false]);
  await db.raw('update server set lost_since = null');
  expect(await uses()).toEqual([true, true]);
});

test('of two processes that find the same other server one adopts it, and one epoch begins', async () => {
  await db.raw(`update server set identity = 'another'`);
  const adopting = await db.transaction();
  expect(await acceptServer(askOf(adopting), UNHEARD)).toMatchObject({ from: 'another' });
  const second = acceptServer(ask, UNHEARD);
  await untilBlocked(adopting);
  await adopting.commit();
  expect(await second).toBeUndefined();
  expect(await readCurrent(db)).toMatchObject({ epoch: 2n });
});

test('a loss that is found again while it is being accepted stops nobody, and a process that missed it forgets it', async () => {
  const witness = createKnownCommits();
  await witness.look(ask);
  witness.noteNextNonce(SIGNER, 7n);
  const accepting = await db.transaction();
  await acceptLoss(accepting);
  const looking = witness.look(ask);
  await untilBlocked(accepting);
  await accepting.commit();
  await expect(looking).rejects.toThrow(/recover --accept-loss/);
  await witness.look(ask);
  await createKnownCommits().look(ask);
});

test('a raise that comes to be final while a loss is accepted is not taken for the raise that this asks for', async () => {
  await beginEpochs(db);
  const [before] = await findPendingEpochs(db);
  const beginning = await db.transaction();
  await acceptLoss(beginning);
  const raised = db.transaction((tx) => noteRaised(tx, [{ ...before!, blockNumber: 5n }]));
  await untilBlocked(beginning);
  await beginning.commit();
  expect(await raised).toEqual([]);
  const [now] = await findPendingEpochs(db);
  expect(now).toMatchObject({ operator: OPERATOR, epoch: 2n });
  await skipRaisedElsewhere(db, before!, 2n);
  expect(await findPendingEpochs(db)).toEqual([now]);
  await skipRaisedElsewhere(db, now!, 2n);
  expect(await findPendingEpochs(db)).toEqual([{ ...now!, epoch: 3n }]);
});

test('of two commands that begin an epoch at the same time both begin the same one, under the tag of the later', async () => {
  const first = await db.transaction();
  await beginEpochs(first);
  const [before] = await findPendingEpochs(first);
  const second = beginEpochs(db);
  await untilBlocked(first);
  await first.commit();
  await second;
  const [now, ...others] = await findPendingEpochs(db);
  expect([now, others]).toMatchObject([{ operator: OPERATOR, epoch: 2n }, []]);
  // The first one's may be in a dump that two databases come from.
  expect(now!.tag).not.toBe(before!.tag);
});

test('an epoch of the chain is foreign only to one that has begun here, and is below it', async () => {
  const isForeign = (epoch: bigint): Promise<boolean> =>
    noteRaisedElsewhere(db, { operator: OPERATOR, epoch });
  expect(await isForeign(1n)).toBe(false);
  await beginEpochs(db);
  // This one may be what this database has raised, and has not seen yet.
  expect(await isForeign(2n)).toBe(false);
  await createKnownCommits().look(ask);
  const [pending] = await findPendingEpochs(db);
  await db.transaction((tx) => noteRaised(tx, [{ ...pending!, blockNumber: 5n }]));
  expect(await isForeign(2n)).toBe(false);
  expect(await isForeign(3n)).toBe(true);
  await expect(createKnownCommits().look(ask)).rejects.toThrow(/recover --accept-loss/);
});

const take = () =>
  takeLane(db, SIGNER, { holder: 'two', leaseMs: 60_000, onChain: { nonce: 5n, isAtCanonicalHead: true } });

/** Runs `work`, which waits for what the loss is written down with: it began before, and ends after that. */
async function whileMarking<Result>(work: () => Promise<Result>): Promise<Result> {
  const marking = await db.transaction();
  await noteCommitsLost(askOf(marking), 0);
  const result = work();
  await untilBlocked(marking);
  await marking.commit();
  return result;
}

/** Somebody waits for what this transaction has locked. */
async function untilBlocked(tx: Tx): Promise<void> {
  const waiting = `select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;
  await until(async () => (await query(tx, waiting)).length > 0);
}
