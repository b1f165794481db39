import { beforeEach, expect, test } from '@jest/globals';
import { askOf, query } from '../../src/db/client.ts';
import { acceptLoss, createKnownCommits, findPendingEpochs } from '../../src/engine/index.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { failUnlessPremature } from '../../src/engine/verdict/verdict.ts';
import { renewReader, takeReader } from '../../src/engine/store/reader.ts';
import { lockLane, takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent } from '../../src/engine/store/silence.ts';
import { noteCommitsLost } from '../../src/engine/store/newest-commits.ts';
import { IS_OTHER_SERVER, acceptServer } from '../../src/engine/store/epochs.ts';
import { findDoubts } from '../../src/engine/store/requeue.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { readCurrent, tieToChain } from '../../src/engine/store/operators.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, makeSender } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const LEASE_MS = 60_000;

const { db } = useSuiteDatabase(2);
const ask = askOf(db);

beforeEach(async () => {
  await db.raw(
    'truncate accounts, intents, lanes, transactions, contracts, chain, operators restart identity cascade',
  );
  await db.raw(
    `update server set lost_since = null, losses = 0, identity = server_identity(), is_suspect = false; update reader set lease_until = '-infinity', silent_since = now() - interval '1 second'`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

/** Queues an intent of the epoch that new ones belong to. */
async function queue(): Promise<bigint> {
  const { number } = await queueIntent(db, OPERATOR);
  await query(db, 'update intents set epoch = (select epoch from operators) where number = :number', {
    number: String(number),
  });
  return number;
}

const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));
const lookForUnsent = () => findNeverSent(db, { outOfReachMs: 0, limit: 10 });
const take = () =>
  takeLane(db, SIGNER, { holder: 'one', leaseMs: LEASE_MS, onChain: { nonce: 5n, isAtCanonicalHead: true } });
/** Goes on with the server, for which nobody vouches. */
const adopt = () => acceptServer(ask, { holder: 'nobody', isUnheard: true });
/** As after the promotion of a standby, or a restore into another cluster. */
const changeServer = () => query(db, `update server set identity = 'another'`);

test('what one process misses stops every process, until the loss is accepted', async () => {
  const number = await queue();
  const lane = await take();
  const reader = await takeReader(db, 'one', LEASE_MS);
  const [witness, other] = [createKnownCommits(), createKnownCommits()];
  await witness.look(ask);
  await other.look(ask);
  expect(await lookForUnsent()).toMatchObject([{ number }]);

  witness.noteNextNonce(SIGNER, 7n);
  await expect(witness.look(ask)).rejects.toThrow(/recover --accept-loss/);
  await expect(other.look(ask)).rejects.toThrow(/recover --accept-loss/);
  await expect(createKnownCommits().goOn(ask)).rejects.toThrow(/recover --accept-loss/);
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => lockLane(tx, { signer: SIGNER, term: lane!.term }))).toBe(false);
  expect(await renewReader(db, reader!.key, LEASE_MS)).toBe(false);
  expect([await take(), await takeReader(db, 'one', LEASE_MS)]).toEqual([undefined, undefined]);

  await acceptLoss(db);
  for (const commits of [witness, other, createKnownCommits()]) await commits.look(ask);
  expect(await cancel(number)).toBeUndefined();
  expect(await cancel(await queue())).toMatchObject({ status: 'cancelled' });
  expect([await take(), await takeReader(db, 'one', LEASE_MS)]).not.toContain(undefined);
});

test('a loss that is written down after it was accepted stops nobody', async () => {
  await acceptLoss(db);
  await noteCommitsLost(ask, 0);
  await createKnownCommits().goOn(ask);
  expect(await cancel(await queue())).toMatchObject({ status: 'cancelled' });
});

test('a loss that is accepted before anybody has looked at another server begins one epoch, and nothing else does', async () => {
  await changeServer();
  await acceptLoss(db);
  await createKnownCommits().goOn(ask);
  expect(await readCurrent(db)).toMatchObject({ epoch: 2n });
});

test('what was accepted before the server was another one is neither cancelled nor given up, at once and for good', async () => {
  const number = await queue();
  await changeServer();
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => findDoubts(tx, number))).toMatchObject({ mayBeDoneByUnknown: true });

  await adopt();
  const later = await queue();
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toMatchObject([{ number: later }]);
  expect(await cancel(later)).toMatchObject({ status: 'cancelled' });
});

/** Lets a process have the lane of the sender. */
async function lead({ holder }: { holder: string }): Promise<void> {
  await takeLane(db, SIGNER, { holder, leaseMs: LEASE_MS, onChain: { nonce: 5n, isAtCanonicalHead: true } });
  await makeSender(db, SIGNER);
}
const isAdopted = async (): Promise<boolean> =>
  (await query<{ is: boolean }>(db, 'select identity = server_identity() as is from server'))[0]!.is;

test('the process that has the lane of the sender vouches for another server, and no epoch begins', async () => {
  const [sender, other] = [createKnownCommits(), createKnownCommits()];
  await lead(sender);
  const number = await queue();
  await changeServer();
  await other.goOn(ask);
  expect(await isAdopted()).toBe(false);
  await sender.goOn(ask);
  expect(await isAdopted()).toBe(true);
  expect(await findPendingEpochs(db)).toEqual([]);
  // Another process may have been the sender since, and may have sent it.
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => findDoubts(tx, number))).toMatchObject({ mayBeDoneByUnknown: true });
});

test('when another process takes the lane of the sender over, nobody vouches, and one epoch begins', async () => {
  const [sender, other] = [createKnownCommits(), createKnownCommits()];
  await lead(sender);
  await changeServer();
  await db.raw(`update lanes set lease_until = '-infinity'`);
  await lead(other);
  for (const commits of [sender, other]) await commits.goOn(ask);
  expect(await isAdopted()).toBe(true);
  expect(await findPendingEpochs(db)).toMatchObject([{ operator: OPERATOR, epoch: 2n }]);
});

test('a process that has the lane itself takes it again, and vouches all the same', async () => {
  const sender = createKnownCommits();
  await lead(sender);
  await changeServer();
  await db.raw(`update lanes set lease_until = '-infinity'`);
  await lead(sender);
  await sender.goOn(ask);
  expect([await isAdopted(), await findPendingEpochs(db)]).toEqual([true, []]);
});

test('what reverts after the server was another one fails only where it was accepted since', async () => {
  const number = await queue();
  await changeServer();
  const lane = openLane(createLaneParts(db, SIGNER, { config: ENGINE_CONFIG }), (await take())!);
  const fail = (failed: bigint): Promise<boolean> => {
    const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
    const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
    const failure = { number: failed, error, transactionHash: null };
    return failUnlessPremature(lane, { final: block, head: block }, failure);
  };
  expect(await fail(number)).toBe(false);
  await adopt();
  expect(await fail(number)).toBe(false);
  const [earlier] = await query(db, 'delete from intents returning status');
  expect(earlier).toEqual({ status: 'queued' });
  expect(await fail(await queue())).toBe(true);
});

test('a server that is adopted is logged, with the one before it', async () => {
  const lines: unknown[] = [];
  const commits = createKnownCommits({ warn: (...line: unknown[]) => void lines.push(line) });
  await lead(commits);
  await changeServer();
  await commits.goOn(ask);
  await commits.look(ask);
  const [{ identity }] = (await query<{ identity: string }>(db, 'select identity from server')) as [
    { identity: string },
  ];
  expect(lines).toEqual([[{ from: 'another', to: identity }, expect.stringContaining('another server')]]);
});

test.each([
  ['insufficient_privilege', 'unknown'],
  ['undefined_function', 'unknown'],
  ['feature_not_supported', 'unknown'],
  ['object_not_in_prerequisite_state', 'unknown'],
  ['io_error', null],
])(
  'a server that answers %s when it is asked who it is has the identity %s and its table',
  async (code, identity) => {
    const asked = db.transaction(async (tx) => {
      await tx.raw(
        `create schema stubborn;
       create function stubborn.pg_current_wal_lsn() returns pg_lsn language plpgsql as $$
         begin raise exception using errcode = '${code}'; end $$;
       set local search_path = stubborn, pg_catalog, public`,
      );
      const answer = await query<{ identity: string }>(tx, 'select server_identity() as identity');
      await tx.raw('drop schema stubborn cascade');
      return answer;
    });
    if (identity) expect(await asked).toEqual([{ identity: expect.stringMatching(`^${identity} \\d+$`) }]);
    else await expect(asked).rejects.toMatchObject({ code: '58030' });
  },
);

test('the identity of a server can be read by its least user, and says its timeline', async () => {
  const rows = await db.transaction(async (tx) => {
    await tx.raw('create role reader; set local role reader');
    const answer = await query<{ identity: string }>(tx, 'select server_identity() as identity');
    await tx.raw('reset role; drop role reader');
    return answer;
  });
  expect(rows).toEqual([{ identity: expect.stringMatching(/^\d+ 00000001 \d+$/) }]);
});

test('a dump that is restored on the same server is another one', async () => {
  const [row] = await db.transaction(async (tx) => {
    // What a restore does: the rows are the same, in tables that are made anew.
    await tx.raw('alter table server rename to dumped; create table server as table dumped');
    const answer = await query<{ isOther: boolean }>(tx, `select ${IS_OTHER_SERVER} as "isOther"`);
    await tx.raw('drop table server; alter table dumped rename to server');
    return answer;
  });
  expect(row).toEqual({ isOther: true });
});
