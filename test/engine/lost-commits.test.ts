import { beforeEach, describe, expect, test } from '@jest/globals';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { askOf, query } from '../../src/db/client.ts';
import { acceptGap, createKnownCommits } from '../../src/engine/index.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { LaneLost } from '../../src/engine/lane/lease.ts';
import { failInTurn } from '../../src/engine/settle/verdict.ts';
import { renewFollower, takeFollower } from '../../src/engine/store/follower.ts';
import { markRetiring } from '../../src/engine/store/lane-commands.ts';
import { findLane, lockLane, takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { markCommitsLost } from '../../src/engine/store/commit-marks.ts';
import { findDoubts } from '../../src/engine/store/requeue.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { LANE_CONFIG } from './lane-config.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const LEASE_MS = 60_000;

const { db } = useSuiteDatabase(2);
const ask = askOf(db);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts, chain restart identity cascade');
  await db.raw(
    `update server set lost_generation = default, identity = server_identity(), unsure_up_to = 0; update follower set lease_until = '-infinity', silent_since = now() - interval '1 second'`,
  );
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  await insertAccount(db);
});

const ANSWERS: Record<string, unknown> = { eth_getTransactionCount: '0x5', eth_getLogs: [] };
const call = async <Result>(method: string): Promise<Result> => (ANSWERS[method] ?? '0x0') as Result;

const callEach = async <Result>(method: string): Promise<Result[]> => [await call<Result>(method)];
const GAP = { rpc: { call, callEach }, operator: OPERATOR, maxInFlight: 4, signers: [] };

const cancel = (number: bigint) => db.transaction((tx) => cancelQueued(tx, number));
const lookForUnsent = () => findNeverSent(db, { outOfReachMs: 0, limit: 10 });

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
  expect(await lookForUnsent()).toMatchObject([{ number }]);

  witness.noteNextNonce(SIGNER, 7n);
  await expect(witness.look(ask)).rejects.toThrow(/recover --accept-gap/);
  await expect(other.look(ask)).rejects.toThrow(/recover --accept-gap/);
  await expect(createKnownCommits().look(ask)).rejects.toThrow(/recover --accept-gap/);
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await db.transaction((tx) => lockLane(tx, { signer: SIGNER, term: lane!.term }))).toBe(false);
  expect(await renewFollower(db, reader!.key, LEASE_MS)).toBe(false);
  expect([await take(), await takeFollower(db, 'one', LEASE_MS)]).toEqual([undefined, undefined]);

  await acceptGap(db, GAP);
  for (const commits of [witness, other, createKnownCommits()]) await commits.look(ask);
  expect(await cancel(number)).toBeUndefined();
  const later = await queueIntent(db, OPERATOR);
  expect(await cancel(later.number)).toMatchObject({ status: 'cancelled' });
  expect([await take(), await takeFollower(db, 'one', LEASE_MS)]).not.toContain(undefined);
});

test('a loss that is written down after its gap was accepted stops nobody', async () => {
  await acceptGap(db, GAP);
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
  const rpc = { call, callEach: () => Promise.reject(new Error('out of reach')) };
  await expect(acceptGap(db, { ...GAP, rpc })).rejects.toThrow('out of reach');
  expect(await cancel(number)).toBeUndefined();
  expect(await lookForUnsent()).toEqual([]);
  expect(await query(db, 'select found_done from intents')).toEqual([{ found_done: false }]);
});

test('an accepted gap is one for the server that the database is on, and no lane is counted again', async () => {
  await takeLane(db, SIGNER, {
    ...{ holder: 'one', leaseMs: 0 },
    onChain: { nonce: 5n, isHeld: true },
  });
  await changeServer();
  const [{ to }] = (await query<{ to: string }>(db, 'select server_identity() as to')) as [{ to: string }];
  expect(await acceptGap(db, GAP)).toMatchObject({ adoption: { from: 'another', to } });
  await createKnownCommits().look(ask);
  expect(await query(db, 'select 1 from lanes where lost_uncounted')).toEqual([]);
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
  expect(await lookForUnsent()).toMatchObject([{ number: later.number }]);
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

describe('what reverts after the server was another one', () => {
  const [FINAL, HEAD] = [
    { number: 1n, hash: `0x${'f1'.repeat(32)}` },
    { number: 2n, hash: `0x${'f2'.repeat(32)}` },
  ] as const;
  const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
  const take = (onChain = { nonce: 5n, isHeld: true }) =>
    takeLane(db, SIGNER, { holder: 'one', leaseMs: LEASE_MS, onChain });

  /** What the chain says of whether the signer has its role. */
  let askRole: (block: { blockHash: Hex }) => Hex;

  /** Whether the holder of a lane fails it; the chain has used so many nonces in the final block and at its head. */
  async function fail(number: bigint, counts: { final: number; head: number }): Promise<boolean> {
    await db.raw(`update lanes set lease_until = '-infinity'`);
    const rpc = {
      call: async <Result>(method: string, [, block]: readonly unknown[]): Promise<Result> => {
        if (method === 'eth_call') return askRole(block as { blockHash: Hex }) as Result;
        const { blockHash } = block as { blockHash?: Hex };
        return `0x${(blockHash === FINAL.hash ? counts.final : counts.head).toString(16)}` as Result;
      },
    };
    const lane = openLane(createLaneParts(db, SIGNER, { config: LANE_CONFIG, rpc }), (await take())!);
    try {
      return await failInTurn(lane, { final: FINAL, head: HEAD }, { number, error, transactionHash: null });
    } catch (stopped) {
      // It goes on below nonces that are left alone now.
      if (stopped instanceof LaneLost) return false;
      throw stopped;
    }
  }

  const isMarked = async () => (await query(db, 'select 1 from lanes where lost_uncounted')).length > 0;

  test('fails once the nonces are used that lost bytes may have, and whoever has the lane fills them', async () => {
    await take();
    const { number } = await queueIntent(db, OPERATOR);
    await changeServer();
    await createKnownCommits().look(ask);
    expect(await isMarked()).toBe(true);
    expect(await findLane(db, SIGNER)).toMatchObject({ nextNonce: 5n, healing: false, isHeld: true });

    expect(await fail(number, { final: 5, head: 6 })).toBe(false);
    expect(await isMarked()).toBe(false);
    expect(await findLane(db, SIGNER)).toMatchObject({ nextNonce: 10n, healing: true, isHeld: false });
    expect(await fail(number, { final: 9, head: 10 })).toBe(false);
    expect(await fail(number, { final: 10, head: 12 })).toBe(true);
  });

  test('does not fail as long as nobody has taken note of that', async () => {
    const { number } = await queueIntent(db, OPERATOR);
    await changeServer();
    expect(await fail(number, { final: 100, head: 100 })).toBe(false);
    expect(await query(db, 'select status from intents')).toEqual([{ status: 'queued' }]);
  });

  test.each<[string, () => Hex, boolean]>([
    ['has its role', () => '0x1', false],
    ['has lost its role for good', () => '0x0', true],
    [
      'may have its role',
      () => {
        throw new RpcRefused('unavailable', 'pruned', undefined, undefined);
      },
      false,
    ],
  ])('waits for a signer that is replaced, and %s, or not', async (_name, role, isFailed) => {
    const blocks: Hex[] = [];
    askRole = ({ blockHash }) => {
      blocks.push(blockHash);
      return role();
    };
    await take();
    const { number } = await queueIntent(db, OPERATOR);
    await changeServer();
    await createKnownCommits().look(ask);
    await markRetiring(db, SIGNER, true);
    expect(await fail(number, { final: 5, head: 5 })).toBe(isFailed);
    expect(blocks).toEqual([FINAL.hash]);
  });

  test('fails at once when it was accepted since', async () => {
    await changeServer();
    await createKnownCommits().look(ask);
    const { number } = await queueIntent(db, OPERATOR);
    expect(await fail(number, { final: 5, head: 5 })).toBe(true);
  });

  test('waits for a signer too whose lane may be among what is missing', async () => {
    const { number } = await queueIntent(db, OPERATOR);
    await changeServer();
    await createKnownCommits().look(ask);
    expect(await fail(number, { final: 5, head: 5 })).toBe(false);
    expect(await fail(number, { final: 9, head: 9 })).toBe(true);
  });
});

test('a server that is adopted is logged, with the one before it', async () => {
  await changeServer();
  const lines: unknown[] = [];
  const commits = createKnownCommits({ warn: (...line: unknown[]) => void lines.push(line) });
  await commits.look(ask);
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
])('a server that answers %s when it is asked who it is has the identity %s', async (code, identity) => {
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
  if (identity) expect(await asked).toEqual([{ identity }]);
  else await expect(asked).rejects.toMatchObject({ code: '58030' });
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
