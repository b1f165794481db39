import { beforeEach, expect, test } from '@jest/globals';
import { askOf, query } from '../../src/db/client.ts';
import { acceptGap, createKnownCommits } from '../../src/engine/index.ts';
import { renewFollower, takeFollower } from '../../src/engine/store/follower.ts';
import { lockLane, takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { markCommitsLost } from '../../src/engine/store/commit-marks.ts';
import { findDoubts } from '../../src/engine/store/requeue.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { insertAccount } from '../setup/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const LEASE_MS = 60_000;

const { db } = useSuiteDatabase(2);
const ask = askOf(db);

beforeEach(async () => {
  await db.raw(
    'truncate accounts, intents, lanes, transactions, contract_lanes, chain restart identity cascade',
  );
  await db.raw(
    `update server set lost_generation = default, unsure_up_to = 0; update follower set lease_until = '-infinity'`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

const call = async <Result>(method: string): Promise<Result> =>
  (method === 'eth_getTransactionCount' ? '0x5' : '0x0') as Result;

const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));
const lookForUnsent = () => findNeverSent(db, { holder: 'one', otherHolderMs: 0, limit: 10 });

test('what one process misses stops every process, until the gap is accepted', async () => {
  const { number } = await queueIntent(db, OPERATOR);
  const take = () =>
    takeLane(db, SIGNER, {
      ...{ holder: 'one', leaseMs: LEASE_MS },
      onChain: { nonce: 5n, isHeld: true },
    });
  const lane = await take();
  const reader = await takeFollower(db, 'one', LEASE_MS);
  const [witness, other] = [createKnownCommits(), createKnownCommits()];
  await other.look(ask);
  expect(await lookForUnsent()).toEqual([number]);

  witness.noteNextNonce(SIGNER, 7n);
  await expect(witness.look(ask)).rejects.toThrow(/recover --accept-gap/);
  await expect(other.look(ask)).rejects.toThrow(/recover --accept-gap/);
  await expect(createKnownCommits().look(ask)).rejects.toThrow(/recover --accept-gap/);
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => lockLane(tx, { signer: SIGNER, epoch: lane!.epoch }))).toBe(false);
  expect(await renewFollower(db, reader!.key, LEASE_MS)).toBe(false);
  expect([await take(), await takeFollower(db, 'one', LEASE_MS)]).toEqual([undefined, undefined]);

  await acceptGap(db, { rpc: { call }, operator: OPERATOR, maxInFlight: 4 });
  for (const commits of [witness, other, createKnownCommits()]) await commits.look(ask);
  expect(await cancel(number)).toBeUndefined();
  const later = await queueIntent(db, OPERATOR);
  expect(await cancel(later.number)).toMatchObject({ status: 'cancelled' });
  expect([await take(), await takeFollower(db, 'one', LEASE_MS)]).not.toContain(undefined);
});

test('a loss that is written down after its gap was accepted stops nobody', async () => {
  await acceptGap(db, { rpc: { call }, operator: OPERATOR, maxInFlight: 4 });
  await markCommitsLost(ask, 0n);
  await createKnownCommits().look(ask);
  const { number } = await queueIntent(db, OPERATOR);
  expect(await cancel(number)).toMatchObject({ status: 'cancelled' });
});

test('while a gap is being accepted nothing is cancelled or given up, though no process has noticed it', async () => {
  const { number } = await queueIntent(db, OPERATOR);
  await takeLane(db, SIGNER, {
    ...{ holder: 'one', leaseMs: 0 },
    onChain: { nonce: 5n, isHeld: true },
  });
  const unreachable = async <Result>(method: string): Promise<Result> => {
    if (method === 'eth_getTransactionCount') throw new Error('out of reach');
    return call(method);
  };
  await expect(
    acceptGap(db, { rpc: { call: unreachable }, operator: OPERATOR, maxInFlight: 4 }),
  ).rejects.toThrow('out of reach');
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await query(db, 'select found_done from intents')).toEqual([{ found_done: false }]);
});

/** As after the promotion of a standby, or a restore into another cluster. */
const changeServer = () => query(db, `update server set identity = 'another'`);

test('what was accepted before the server was another one is neither cancelled nor given up, at once and for good', async () => {
  const { number } = await queueIntent(db, OPERATOR);
  await changeServer();
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => findDoubts(tx, number))).toMatchObject({ isFoundDone: true });

  await createKnownCommits().look(ask);
  const later = await queueIntent(db, OPERATOR);
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([later.number]);
  expect(await cancel(later.number)).toMatchObject({ status: 'cancelled' });
});

test('a promoted standby that lacks nothing stops nobody', async () => {
  const commits = createKnownCommits();
  await commits.look(ask);
  await queueIntent(db, OPERATOR);
  await changeServer();
  await commits.look(ask);
  await commits.look(ask);
  expect(await query(db, 'select identity = server_identity() as is, unsure_up_to from server')).toEqual([
    { is: true, unsure_up_to: 1n },
  ]);
});

test('the identity of a server can be read by its least user, and says its timeline', async () => {
  const rows = await db.transaction(async (tx) => {
    await tx.raw('create role reader; set local role reader');
    const answer = await query<{ identity: string }>(tx, 'select server_identity() as identity');
    await tx.raw('reset role; drop role reader');
    return answer;
  });
  expect(rows).toEqual([{ identity: expect.stringMatching(/^\d+ 00000001$/) }]);
});
