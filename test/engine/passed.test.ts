import { beforeEach, expect, test } from '@jest/globals';
import { createHeldChain } from '../../src/chain/follower/held-chain.ts';
import { query } from '../../src/db/client.ts';
import { defaultTimings } from '../../src/engine/index.ts';
import { settlePassed } from '../../src/engine/settle/passed.ts';
import { insertAttempt, insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findUnfinishedLanes } from '../../src/engine/store/mined.ts';
import type { BlockId } from '../../src/lib/block-id.ts';
import { toBytes, toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../setup/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { LANE_CONFIG } from './lane-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, epoch: 1n };
const hashOf = (digits: string): Hex => `0x${digits.repeat(32)}`;
const [FIRST, SECOND] = [hashOf('aa'), hashOf('bb')];
const blockOf = (number: bigint, hash = hashOf(`0${number}`)): BlockId => ({ number, hash });

const { db } = useSuiteDatabase(3);

/** By hash of the transaction: the block that its receipt names. */
let receipts: Map<Hex, BlockId>;

beforeEach(async () => {
  receipts = new Map();
  await db.raw('truncate accounts, intents, lanes, transactions, contract_lanes cascade');
  await insertAccount(db);
  await query(db, 'insert into lanes (signer, epoch, next_nonce) values (:signer, 1, 0)', {
    signer: toBytes(SIGNER),
  });
  await query(
    db,
    `update follower set epoch = 1, final_number = 1, final_hash = :final, head_number = 3, head_hash = :head`,
    { final: toBytes(blockOf(1n).hash), head: toBytes(blockOf(3n).hash) },
  );
  const { number } = await queueIntent(db, CONTRACT);
  const draft = createDraft(CONTRACT, [number], { attempt: createAttempt(FIRST) });
  const { id } = await insertTransaction(db, LANE, draft);
  await insertAttempt(db, LANE, id!, createAttempt(SECOND, 2n));
});

/** A chain that has used the signer's nonce, and shows no receipt but those. */
async function call<T>(method: string, [param]: readonly unknown[]): Promise<T> {
  if (method === 'eth_getTransactionCount') return '0x1' as T;
  if (method !== 'eth_getTransactionReceipt') throw new Error(`not asked: ${method}`);
  const block = receipts.get(param as Hex);
  if (!block) return null as T;
  const place = { blockNumber: `0x${block.number.toString(16)}`, blockHash: block.hash };
  return { transactionHash: param, status: '0x1', logs: [], ...place } as T;
}

/** One look of the reader of the chain, which holds the blocks from 1, which is final, to 3. */
async function look(): Promise<boolean> {
  const held = createHeldChain(blockOf(1n));
  const header = (number: bigint) => ({
    ...blockOf(number),
    ...({ parentHash: blockOf(number - 1n).hash, logsBloom: '0x', logs: [] } as const),
  });
  const added = [header(2n), header(3n)];
  held.accept({ removed: [], added, final: blockOf(1n), head: blockOf(3n), isLatest: true });
  const parts = {
    ...{ db, rpc: { call }, log: createLogger('silent'), key: { epoch: 1n } },
    effects: { settled: async () => undefined },
    config: { ...LANE_CONFIG, operator: CONTRACT, timings: { ...defaultTimings, receiptLookMs: 0 } },
  };
  const { open } = await findUnfinishedLanes(db);
  const follower = { held, look: async () => null, accept: held.accept };
  return settlePassed(parts, follower, open, new Map());
}

async function standing(): Promise<{ status: string; hash: Hex | null; block: Hex | null }> {
  const [row] = await query<{ status: string; mined_hash: Buffer | null; block_hash: Buffer | null }>(
    db,
    'select status, mined_hash, block_hash from transactions',
  );
  const { status, mined_hash: hash, block_hash: block } = row!;
  return { status, hash: hash && toHex(hash), block: block && toHex(block) };
}

test.each([
  ['first', 'second', FIRST, SECOND],
  ['second', 'first', SECOND, FIRST],
])(
  'when an endpoint shows the %s attempt in a block of another fork, the %s counts, which is in a held block',
  async (_elsewhere, _held, elsewhere, here) => {
    receipts = new Map([
      [elsewhere, blockOf(3n, hashOf('ff'))],
      [here, blockOf(2n)],
    ]);
    expect(await look()).toBe(true);
    expect(await standing()).toEqual({ status: 'mined', hash: here, block: blockOf(2n).hash });
  },
);

test('an attempt that is only in a block of another fork says nothing', async () => {
  receipts.set(FIRST, blockOf(3n, hashOf('ff')));
  expect(await look()).toBe(false);
  expect(await standing()).toEqual({ status: 'open', hash: null, block: null });
});

test('what is taken for used by another program is asked for until that is final', async () => {
  expect(await look()).toBe(true);
  expect(await standing()).toEqual({ status: 'mined', hash: null, block: blockOf(3n).hash });
  expect(await look()).toBe(false);
  receipts.set(SECOND, blockOf(2n));
  expect(await look()).toBe(true);
  expect(await standing()).toEqual({ status: 'mined', hash: SECOND, block: blockOf(2n).hash });
  expect(await look()).toBe(false);
});
