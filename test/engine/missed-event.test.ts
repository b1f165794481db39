import { beforeEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import type { Block, BlockLog } from '../../src/chain/follower/follower.ts';
import { query } from '../../src/db/client.ts';
import { applyStep } from '../../src/engine/settle/apply-step.ts';
import { insertTransaction, turnIntoNoops } from '../../src/engine/store/insert-transaction.ts';
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

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;
const NOOP = `0x${'bb'.repeat(32)}` as const;
const OPERATOR = new Interface(operatorAbi);

const { db } = useSuiteDatabase(2);

const blockOf = (number: bigint): BlockId => ({ number, hash: `0x${`0${number}`.repeat(32)}` });

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
  await query(
    db,
    `update reader set term = 1, final_number = 1, final_hash = :final, head_number = 1, head_hash = :final`,
    { final: toBytes(blockOf(1n).hash) },
  );
});

/** A block with the success of these intents, and of nothing else that is in their transaction. */
const showing = (block: BlockId, numbers: readonly bigint[]): Block => ({
  ...block,
  logs: numbers.map(logOf),
});

function logOf(number: bigint): BlockLog {
  const { data, topics } = OPERATOR.encodeEventLog('CallExecuted', [(1n << 64n) | number, 50_000n, 0n]);
  return { address: CONTRACT, data: data as Hex, topics: topics as Hex[], transactionHash: HASH };
}

/** The reader stores one more block. */
const notAsked = () => Promise.reject(new Error('not asked'));

async function apply(block: Block, final: BlockId, canonical: Block[], removed: Block[] = []): Promise<void> {
  const parts = {
    ...{ db, rpc: { call: notAsked, callEach: notAsked }, log: createLogger('silent') },
    ...{ key: { term: 1n }, followUps: { settled: async () => undefined } },
    config: { ...engineConfigOf(CONTRACT) },
  };
  const step = { removed, added: [block], final, head: block, isLatest: true };
  const from = { head: blockOf(block.number - 1n), isFirst: false };
  await applyStep(parts, step, { from, canonical, isWaitedFor: true, lookedAt: null });
}

test.each([
  ['at once', 0, false],
  ['later', 1, false],
  ['at once, though its transaction was given up', 0, true],
  ['later, though its transaction was given up', 1, true],
])(
  'of a call whose event is not shown with another of its block, which is final %s',
  async (_name, depth, isGivenUp) => {
    const numbers = [(await queueIntent(db, CONTRACT)).number, (await queueIntent(db, CONTRACT)).number];
    const lane = { signer: SIGNER, term: 1n };
    const draft = createDraft(CONTRACT, numbers, { attempt: createAttempt(HASH) });
    const { id } = await insertTransaction(db, lane, draft);
    const noop = { id: id!, gasLimit: 21_000n, expectedFee: 0n, attempt: createAttempt(NOOP, 2n) };
    if (isGivenUp) expect(await turnIntoNoops(db, lane, [noop])).toBe(true);
    const block = showing(blockOf(2n), numbers.slice(0, 1));
    await apply(block, blockOf(2n - BigInt(depth)), []);
    if (depth > 0) await apply(showing(blockOf(3n), []), blockOf(2n), [block]);
    expect(await query(db, 'select status, retry_stage, in_doubt from intents order by number')).toEqual([
      expect.objectContaining({ status: 'confirmed', in_doubt: false }),
      { status: 'queued', retry_stage: 0, in_doubt: true },
    ]);
    expect(await query(db, 'select status from transactions')).toEqual([{ status: 'final' }]);
    expect(await db.transaction((tx) => cancelQueued(tx, numbers[1]!))).toBeUndefined();
  },
);

/** Two calls that one transaction has done in a block that is not final. */
async function storeTwo(): Promise<bigint[]> {
  const numbers = [(await queueIntent(db, CONTRACT)).number, (await queueIntent(db, CONTRACT)).number];
  const draft = createDraft(CONTRACT, numbers, { attempt: createAttempt(HASH) });
  await insertTransaction(db, { signer: SIGNER, term: 1n }, draft);
  await apply(showing(blockOf(2n), numbers), blockOf(1n), []);
  return numbers;
}

/* A reader that took over was shown less of a block than the one before it, which stored what it saw. */

test('what was stored of a block goes with it, though its events are not shown any more', async () => {
  await storeTwo();
  const hidden = showing(blockOf(2n), []);
  await apply(showing(blockOf(3n), []), blockOf(1n), [hidden], [hidden]);
  expect(await query(db, 'select status, result from intents')).toEqual(
    [1, 2].map(() => ({ status: 'submitted', result: null })),
  );
  expect(await query(db, 'select status from transactions')).toEqual([{ status: 'open' }]);
});

test('what was stored of a block is final with it, though only some of its events are shown', async () => {
  const numbers = await storeTwo();
  await apply(showing(blockOf(3n), []), blockOf(2n), [showing(blockOf(2n), numbers.slice(0, 1))]);
  expect(await query(db, 'select status, final_at is not null as final from intents')).toEqual(
    [1, 2].map(() => ({ status: 'confirmed', final: true })),
  );
});
