import { beforeEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import type { Block, BlockLog } from '../../src/chain/follower/follower.ts';
import { askOf, query } from '../../src/db/client.ts';
import { ReaderLost, applyStep, noteRaises } from '../../src/engine/settle/apply-step.ts';
import { tieToChain } from '../../src/engine/store/operators.ts';
import { acceptServer, beginEpochs } from '../../src/engine/store/epochs.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import type { BlockId } from '../../src/lib/block-id.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { engineConfigOf } from './engine-config.ts';

/* A transaction that is not known here did what no intent here is, or what waits here. */

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const OWN = `0x${'aa'.repeat(32)}` as const;
const FOREIGN = `0x${'bb'.repeat(32)}` as const;
const ABI = new Interface(operatorAbi);

const { db } = useSuiteDatabase(2);

const blockOf = (number: bigint): BlockId => ({ number, hash: `0x${`0${number}`.repeat(32)}` });
const [BEFORE, RAISED, HEAD] = [blockOf(1n), blockOf(2n), blockOf(3n)] as const;

beforeEach(async () => {
  await db.raw('truncate lanes, chain, operators, unknown_effects cascade');
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0c'.repeat(32)}`, operator: OPERATOR });
  await query(db, 'update server set lost_since = null');
  await query(
    db,
    `update reader set term = 1, final_number = 1, final_hash = :hash, head_number = 1, head_hash = :hash`,
    { hash: toBytes(BEFORE.hash) },
  );
});

function logOf(name: string, values: readonly unknown[], transactionHash: Hex): BlockLog {
  const { data, topics } = ABI.encodeEventLog(name, values);
  return { address: OPERATOR, data: data as Hex, topics: topics as Hex[], transactionHash };
}

/** The effect of number 7 in an epoch. */
const effectIn = (epoch: bigint): BlockLog =>
  logOf('CallExecuted', [(epoch << 64n) | 7n, 50_000n, 0n], FOREIGN);

/** The reader stores the two blocks behind its head. */
function apply(raised: Partial<Block>, head: Partial<Block>, final: BlockId = HEAD): Promise<void> {
  const added: Block[] = [
    { ...RAISED, logs: [], ...raised },
    { ...HEAD, logs: [], ...head },
  ];
  return store(added, final, { head: BEFORE, canonical: [] });
}

const notAsked = () => Promise.reject(new Error('not asked'));

function store(added: Block[], final: BlockId, before: { head: BlockId; canonical: Block[] }): Promise<void> {
  const parts = {
    ...{ db, rpc: { call: notAsked, callEach: notAsked }, log: createLogger('silent') },
    ...{ key: { term: 1n }, followUps: { settled: async () => undefined }, config: engineConfigOf(OPERATOR) },
  };
  const step = { removed: [], added, final, head: added.at(-1)!, isLatest: true };
  const from = { head: before.head, isFirst: false };
  return applyStep(parts, step, { from, canonical: before.canonical, isWaitedFor: false, lookedAt: null });
}

/** What is stored after a step: whether anything may go on, and how far the chain is read. */
async function stored(): Promise<{ areLost: boolean; head: bigint; epochs: unknown[] }> {
  const [row] = await query<{ areLost: boolean; head: bigint }>(
    db,
    'select s.lost_since is not null as "areLost", r.head_number as head from server s, reader r',
  );
  return { ...row!, epochs: await query(db, 'select epoch, raised_in from operators') };
}

/** Lets a new epoch be raised. Returns the event of that. */
async function raise(): Promise<BlockLog> {
  await beginEpochs(db);
  const [row] = await query<{ tag: Hex }>(db, 'select tag from operators');
  return logOf('EpochRaised', [2n, row!.tag], OWN);
}

test('in the epoch that has begun lets nothing go on, and the step is not stored', async () => {
  const { epochs } = await stored();
  await expect(apply({}, { unknown: [effectIn(1n)] })).rejects.toThrow(ReaderLost);
  expect(await stored()).toEqual({ areLost: true, head: BEFORE.number, epochs });
});

test('in the epoch that the same step lets begin lets nothing go on', async () => {
  await expect(apply({ logs: [await raise()] }, { unknown: [effectIn(2n)] })).rejects.toThrow(ReaderLost);
  const epochs = [{ epoch: 2n, raised_in: RAISED.number }];
  expect(await stored()).toEqual({ areLost: true, head: HEAD.number, epochs });
});

test('in the epoch before one that is about to begin is kept, and all goes on', async () => {
  await apply({ logs: [await raise()], unknown: [effectIn(1n)] }, {});
  const epochs = [{ epoch: 2n, raised_in: RAISED.number }];
  expect(await stored()).toEqual({ areLost: false, head: HEAD.number, epochs });
  expect(await query(db, 'select epoch, number from unknown_effects')).toEqual([{ epoch: 1n, number: 7n }]);
});

test('in the epoch that a later step lets begin lets nothing go on', async () => {
  const [raised, head] = [{ logs: [await raise()] }, { unknown: [effectIn(2n)] }];
  await apply(raised, head, BEFORE);
  expect((await stored()).areLost).toBe(false);
  const canonical: Block[] = [
    { ...RAISED, ...raised },
    { ...HEAD, logs: [], ...head },
  ];
  const next = { ...blockOf(4n), logs: [] };
  await expect(store([next], RAISED, { head: HEAD, canonical })).rejects.toThrow(ReaderLost);
  const epochs = [{ epoch: 2n, raised_in: RAISED.number }];
  expect(await stored()).toEqual({ areLost: true, head: next.number, epochs });
});

test('in an epoch that begins after it was final lets nothing go on', async () => {
  const raised = await raise();
  await apply({}, { unknown: [effectIn(2n)] });
  expect((await stored()).areLost).toBe(false);
  const begun = await db.transaction((tx) => noteRaises(tx, [{ ...RAISED, logs: [raised] }], [], [OPERATOR]));
  expect(begun).toMatchObject([{ epoch: 2n, number: 7n, transactionHash: FOREIGN }]);
  expect((await stored()).areLost).toBe(true);
});

test('on another server than before lets a new epoch begin, though the sender vouches a moment later', async () => {
  await insertLane(db, OPERATOR);
  await query(db, `update lanes set holder = 'one'`);
  await query(db, `update server set identity = 'another'`);
  await apply({}, { unknown: [effectIn(1n)] });
  await acceptServer(askOf(db), { holder: 'one', isUnheard: false });
  expect(await stored()).toEqual({
    areLost: false,
    head: HEAD.number,
    epochs: [{ epoch: 2n, raised_in: null }],
  });
});

test('of what waits here keeps that from being cancelled', async () => {
  await insertAccount(db);
  const [intent] = await query<{ number: bigint }>(
    db,
    `insert into intents (number, id, account_id, environment, kind, contract, target, calldata, operator, epoch, status)
     overriding system value
     select 7, '00000000-0000-0000-8000-000000000007', id, 'live', 'mint', :operator, :operator, '\\x00', :operator, 1, 'queued'
       from accounts limit 1 returning number`,
    { operator: toBytes(OPERATOR) },
  );
  await apply({}, { unknown: [effectIn(1n)] });
  expect((await stored()).areLost).toBe(false);
  expect(await db.transaction((tx) => cancelQueued(tx, intent!.number))).toBeUndefined();
});
