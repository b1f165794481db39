import { beforeEach, describe, expect, test } from '@jest/globals';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import type { RefusalKind } from '../../src/chain/rpc/classify.ts';
import { query } from '../../src/db/client.ts';
import { EPOCH } from '../../src/chain/abi/operator.ts';
import { checkIntentNumbers, learnEpoch } from '../../src/engine/index.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import type { LaneParts } from '../../src/engine/lane/lane.ts';
import { adoptEpoch } from '../../src/engine/send/adopt-epoch.ts';
import { QUEUE_LOOK } from '../../src/engine/send/dispatch.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import { readCurrent, tieToChain } from '../../src/engine/store/chain-identity.ts';
import { moveToEpoch } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { markFoundDone } from '../../src/engine/store/intent-numbers.ts';
import { cancelQueued, confirmIntents } from '../../src/engine/store/verdicts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createNode, hashOf } from '../setup/forked-node.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { LANE_CONFIG } from './lane-config.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const OTHER = `0x${'0b'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: `0x${'01'.repeat(20)}`, term: 1n } as const;

const EVERYTHING = {
  ...QUEUE_LOOK,
  ...{ excluded: [], pausedOperators: [], afterAccount: null, afterContracts: new Map<string, Hex>() },
};

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, LANE.signer);
});

/** Queues an intent of epoch 1. */
const queue = async (): Promise<bigint> => (await queueIntent(db, CONTRACT, { operator: OPERATOR })).number;

const send = (number: bigint, at: { operator: `0x${string}`; epoch: bigint }) =>
  insertTransaction(
    db,
    LANE,
    createDraft(CONTRACT, [number], { ...at, attempt: createAttempt(`0x${'11'.repeat(32)}`) }),
  );

const move = (...numbers: bigint[]) =>
  db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 2n }, numbers));

test('a transaction takes only intents of its own Operator and epoch', async () => {
  const number = await queue();
  expect(await send(number, { operator: OPERATOR, epoch: 2n })).toEqual({ id: null, left: [number] });
  expect(await send(number, { operator: OTHER, epoch: 1n })).toEqual({ id: null, left: [number] });
  expect(await send(number, { operator: OPERATOR, epoch: 1n })).toEqual({ id: expect.any(BigInt), left: [] });
});

test('an intent that was never signed moves to a later epoch of its Operator, and never back', async () => {
  const number = await queue();
  expect(await move(number)).toEqual(new Set([number]));
  expect(await move(number)).toEqual(new Set());
  const back = db.transaction((tx) => moveToEpoch(tx, { operator: OPERATOR, epoch: 1n }, [number]));
  expect(await back).toEqual(new Set());
});

test('an intent stays in its epoch while a transaction that it was in is not final', async () => {
  const number = await queue();
  await send(number, { operator: OPERATOR, epoch: 1n });
  expect(await move(number)).toEqual(new Set());
  await query(db, `update intents set status = 'queued', transaction_hash = null, live_in = null`);
  expect(await move(number)).toEqual(new Set());
  await query(
    db,
    `update transactions set status = 'displaced', block_number = 1, block_hash = decode(repeat('ab', 32), 'hex')`,
  );
  expect(await move(number)).toEqual(new Set([number]));
});

test('what was found done in the earlier epoch, and is not any more, moves and may be cancelled', async () => {
  const number = await queue();
  const cancel = () => db.transaction((tx) => cancelQueued(tx, number));
  await markFoundDone(db, { operator: OPERATOR, epoch: 1n }, [number]);
  expect(await cancel()).toBeUndefined();
  expect(await move(number)).toEqual(new Set([number]));
  expect(await cancel()).toMatchObject({ status: 'cancelled' });
});

test('only a bit of its own Operator and epoch keeps an intent from being cancelled', async () => {
  const number = await queue();
  await markFoundDone(db, { operator: OPERATOR, epoch: 2n }, [number]);
  await markFoundDone(db, { operator: OTHER, epoch: 1n }, [number]);
  expect(await db.transaction((tx) => cancelQueued(tx, number))).toMatchObject({ status: 'cancelled' });
});

test('only an event of its own Operator confirms an intent', async () => {
  const number = await queue();
  await send(number, { operator: OPERATOR, epoch: 1n });
  const confirm = (operator: `0x${string}`) =>
    db.transaction((tx) =>
      confirmIntents(
        tx,
        [{ operator, number, result: null, transactionHash: `0x${'11'.repeat(32)}` }],
        false,
      ),
    );
  expect(await confirm(OTHER)).toEqual([]);
  expect(await confirm(OPERATOR)).toMatchObject([{ intent: { number, status: 'confirmed' } }]);
});

describe('an Operator that is newer than the final block', () => {
  const block = { number: 1n, hash: `0x${'f1'.repeat(32)}` } as const;
  const call = async <Result>(): Promise<Result> => '0x' as Result;

  test('has no epoch for good yet: what is stale waits', async () => {
    const { number } = await queueIntent(db, CONTRACT, { operator: OPERATOR });
    const chain = { fresh: async () => ({ final: block, head: block }), expectBlock: () => undefined };
    const rpc: Pick<LaneParts['rpc'], 'call'> = {
      call: async <Result>(_method: string, [asked]: readonly unknown[]): Promise<Result> =>
        ((asked as { data: Hex }).data === EPOCH.data ? '0x' : '0x0') as Result,
    };
    const parts = createLaneParts(db, LANE.signer, { config: LANE_CONFIG, rpc, chain });
    const lane = openLane(parts, { term: LANE.term, nextNonce: 0n, healing: false });
    const { queued } = await findQueued(db, EVERYTHING);
    await adoptEpoch(lane, queued, 2n);
    expect(lane.blocked.find()).toEqual([CONTRACT]);
    expect(await move(number)).toEqual(new Set([number]));
  });

  test('stops a start that would not deploy it, with one sentence', async () => {
    await tieToChain(db, { chainId: 1n, genesisHash: hashOf(0, []), operator: OPERATOR });
    await expect(checkIntentNumbers(db, { call })).rejects.toThrow(
      `The Operator ${OPERATOR} is not on the chain behind RPC_URL yet`,
    );
  });
});

describe('the epoch of new intents, as it is learnt at the start', () => {
  const refuse = (kind: RefusalKind) => () => {
    throw new RpcRefused(kind, 'no', undefined, undefined);
  };

  /** Learns it of an Operator that says 2 in the newest block. */
  const learn = async (final: () => string): Promise<bigint> => {
    const node = createNode();
    node.instead['eth_call'] = ([, block]) => {
      if (block === 'latest') return '0x2';
      expect(block).toEqual({ blockHash: hashOf(8, []) });
      return final();
    };
    await learnEpoch(db, { rpc: node.rpc, profile: { finality: 3 } }, OPERATOR);
    return (await readCurrent(db)).epoch;
  };

  beforeEach(async () => {
    await db.raw('truncate chain, operators cascade');
    await tieToChain(db, { chainId: 1n, genesisHash: hashOf(0, []), operator: OPERATOR });
  });

  test('is that of the last final block: a reorg may take a later one back', async () => {
    expect(await learn(() => '0x1')).toBe(1n);
    expect(await learn(() => '0x2')).toBe(2n);
    expect(await learn(() => '0x1')).toBe(2n);
  });

  test('is that of the newest block where the node has forgotten the state of the final one', async () => {
    expect(await learn(refuse('unavailable'))).toBe(2n);
  });

  test.each([
    ['has no Operator', () => '0x'],
    ['is not known where the Operator is asked', refuse('unknown-block')],
  ])('stays as it is when the final block %s', async (_name, final) => {
    expect(await learn(final)).toBe(1n);
  });
});
