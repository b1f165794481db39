import { beforeEach, expect, test } from '@jest/globals';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { intentId } from '../../src/chain/abi/operator.ts';
import { createCanonicalBlocks } from '../../src/chain/follower/canonical-blocks.ts';
import { RpcRefused } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import { settlePassedNonces } from '../../src/engine/settle/passed-nonces.ts';
import { insertAttempt, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findUnfinishedLanes } from '../../src/engine/store/mined.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import type { BlockId } from '../../src/lib/block-id.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { engineConfigOf } from './engine-config.ts';

/* When the calls of a transaction go again whose nonce is used in a block that is not final. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, term: 1n };
const CALL = `0x${'aa'.repeat(32)}` as const;
const NOOP = `0x${'bb'.repeat(32)}` as const;
const blockOf = (number: bigint): BlockId => ({ number, hash: `0x${`0${number}`.repeat(32)}` });
const STOPPED = OPERATOR.getError('ExecutionStopped')!.selector;

const { db } = useSuiteDatabase(3);

let number: bigint;

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
  await query(
    db,
    `update reader set term = 1, final_number = 1, final_hash = :final, head_number = 3, head_hash = :head`,
    { final: toBytes(blockOf(1n).hash), head: toBytes(blockOf(3n).hash) },
  );
  ({ number } = await queueIntent(db, CONTRACT));
  const { id } = await insertTransaction(
    db,
    LANE,
    createDraft(CONTRACT, [number], { attempt: createAttempt(CALL) }),
  );
  await insertAttempt(db, LANE, id!, createAttempt(NOOP, 2n));
});

/** What the chain shows of the transaction, in the last block but one. */
interface Shown {
  /** The attempt that was mined; none without. */
  mined?: Hex;
  status?: Hex;
  logs?: { topics: string[]; data: string }[];
  /** What the Operator says of a batch of this signer. */
  refusal?: string;
}

/** One look of the reader of the chain, which holds the blocks from 1, which is final, to 3. */
async function look({ mined, status = '0x1', logs = [], refusal }: Shown): Promise<void> {
  const canonical = createCanonicalBlocks(blockOf(1n));
  const header = (of: bigint) => ({
    ...blockOf(of),
    ...({ parentHash: blockOf(of - 1n).hash, logsBloom: '0x', logs: [] } as const),
  });
  const added = [header(2n), header(3n)];
  canonical.accept({ removed: [], added, final: blockOf(1n), head: blockOf(3n), isLatest: true });
  const call = async <T>(method: string, [hash]: readonly unknown[]): Promise<T> => {
    if (method === 'eth_getTransactionCount') return '0x1' as T;
    if (method === 'eth_call' && refusal)
      throw new RpcRefused('reverted', 'execution reverted', undefined, refusal);
    if (method === 'eth_call') return '0x' as T;
    if (hash !== mined) return null as T;
    const own = logs.map((log) => ({ ...log, address: CONTRACT, transactionHash: mined }));
    return {
      transactionHash: mined,
      status,
      logs: own,
      blockNumber: '0x2',
      blockHash: blockOf(2n).hash,
    } as T;
  };
  const callEach = async <T>(...asked: Parameters<typeof call>): Promise<T[]> => [await call<T>(...asked)];
  const parts = {
    ...{ db, rpc: { call, callEach }, log: createLogger('silent'), key: { term: 1n } },
    followUps: { settled: async () => undefined },
    config: { ...engineConfigOf(CONTRACT), timings: { ...defaultTimings, receiptLookMs: 0 } },
  };
  const { open } = await findUnfinishedLanes(db);
  expect(await settlePassedNonces(parts, canonical, open, new Map())).toBe(true);
}

const giveUp = () => query(db, 'update transactions set is_noop = true');

const call = () =>
  query(
    db,
    `select i.status, m.decides, t.status as transaction from intents i
       join transaction_intents m on m.intent_number = i.number join transactions t on t.id = m.transaction_id`,
  );
const WAITING = [{ status: 'submitted', decides: true, transaction: 'mined' }];

test.each([
  ['a no-op', true, { mined: NOOP }],
  ['refused by the Operator', false, { mined: CALL, status: '0x0', refusal: STOPPED } as const],
])('calls of what is %s go again at once, and are cancelled by nobody', async (_name, isNoop, shown) => {
  if (isNoop) await giveUp();
  await look(shown);
  expect(await call()).toEqual([{ status: 'queued', decides: false, transaction: 'mined' }]);
  // Its bytes may yet do them when a reorg takes the block away.
  expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
  const draft = createDraft(CONTRACT, [number], {
    nonce: 1n,
    attempt: createAttempt(`0x${'cc'.repeat(32)}`),
  });
  expect(await insertTransaction(db, LANE, draft)).toMatchObject({ left: [] });
});

test('calls that were reverted together wait until that is final', async () => {
  await look({ mined: CALL, status: '0x0' });
  expect(await call()).toEqual(WAITING);
});

test('calls of a no-op wait until it is final when an earlier bid has called them', async () => {
  await giveUp();
  const failure = OPERATOR.encodeEventLog('CallFailed', [intentId(1n, number), 100n, '0x']);
  await look({ mined: CALL, logs: [failure] });
  expect(await call()).toEqual(WAITING);
});

test('calls of a no-op wait until it is final when no bid for its nonce is known to be mined', async () => {
  await giveUp();
  await look({});
  expect(await call()).toEqual(WAITING);
});
