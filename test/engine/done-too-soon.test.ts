import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Tx } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findBehind, isDoneAbove } from '../../src/engine/store/requeue.ts';
import { confirmIntents } from '../../src/engine/store/verdicts.ts';
import { settleFinished } from '../../src/engine/verdict/finished.ts';
import { failUnlessPremature } from '../../src/engine/verdict/verdict.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertChain, insertLane, makeSender } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG, SHARES } from './engine-config.ts';

/*
 * A mint fails, and its deployment is done later: it went again, by a later transaction; or a deep reorg mined what two
 * signers had sent in another order.
 */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const OTHER_CONTRACT = `0x${'c1'.repeat(20)}` as const;
const EARLIER_HASH = `0x${'aa'.repeat(32)}` as const;
const HASH = `0x${'bb'.repeat(32)}` as const;
const BEFORE_HASH = `0x${'cc'.repeat(32)}` as const;
const BLOCK = 5n;

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertChain(db, CONTRACT);
  for (const signer of [SIGNER, OTHER]) await insertLane(db, signer);
});

/** A transaction of one call that is in a block. */
async function mine(number: bigint, hash: Hex, { signer, block, status }: Place): Promise<bigint> {
  await makeSender(db, signer);
  const bindings = { signer: toBytes(signer) };
  const [lane] = await query<{ nonce: bigint }>(
    db,
    'select next_nonce as nonce from lanes where signer = :signer',
    bindings,
  );
  const draft = createDraft(CONTRACT, [number], { nonce: lane!.nonce, attempt: createAttempt(hash) });
  const { id } = await insertTransaction(db, { signer, term: 1n }, draft);
  await query(
    db,
    `update transactions set status = :status, mined_hash = :hash, block_number = :block, block_hash = :hash where id = :id`,
    { status, hash: toBytes(hash), block: String(block), id: String(id) },
  );
  return id!;
}

interface Place {
  signer: Hex;
  block: bigint;
  status: 'mined' | 'final';
}

/** How the call before the mint is done. */
interface Earlier {
  contract?: Hex;
  /** It is sent after the mint. */
  isSentLast?: boolean;
  /** Another transaction has done it before. */
  wasDone?: boolean;
}

/** Settles a mint that reverted in a final block. Returns its status; the other call is done at that place. */
async function settle(
  place: Place,
  { contract = CONTRACT, isSentLast = false, wasDone = false }: Earlier = {},
): Promise<string> {
  const earlier = (await queueIntent(db, contract, { kind: 'deploy_token', operator: CONTRACT })).number;
  const { number } = await queueIntent(db, CONTRACT);
  if (!isSentLast) await mine(earlier, EARLIER_HASH, place);
  const id = await mine(number, HASH, { signer: SIGNER, block: BLOCK, status: 'final' });
  if (isSentLast) await mine(earlier, EARLIER_HASH, place);
  await db.transaction(async (tx) => {
    const success = {
      ...{ number: earlier, result: contract },
      transactionHash: wasDone ? BEFORE_HASH : EARLIER_HASH,
    };
    await confirmIntents(tx, [success], place.status === 'final');
    await settleReverted(tx, [{ id, number, hash: HASH }]);
  });
  return statusOf(number);
}

/** Settles transactions of one call each that reverted. */
const settleReverted = (tx: Tx, reverted: readonly { id: bigint; number: bigint; hash: Hex }[]) =>
  settleFinished(
    tx,
    { bits: { findDone: () => new Set() }, shares: SHARES, displacedNonces: { mayBeMined: () => false } },
    reverted.map(({ id, hash }) => ({ id, isBlameless: false, minedHash: hash, callCount: 1 })),
    reverted.map(({ number, hash }) => ({
      ...{ epoch: 1n, number, transactionHash: hash },
      result: { ok: false, gasUsed: 100n, returnData: '0xdeadbeef' },
    })),
    () => true,
  );

async function statusOf(number: bigint): Promise<string> {
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

/** Queues calls of the contract. Returns their numbers. */
async function queueMany(kinds: readonly string[]): Promise<bigint[]> {
  const numbers: bigint[] = [];
  for (const kind of kinds)
    numbers.push((await queueIntent(db, CONTRACT, { kind, operator: CONTRACT })).number);
  return numbers;
}

test.each<[string, Place, Earlier]>([
  ['in a later block', { signer: OTHER, block: BLOCK + 1n, status: 'mined' }, {}],
  ['in a later block that is final too', { signer: OTHER, block: BLOCK + 1n, status: 'final' }, {}],
  ['in the same block', { signer: OTHER, block: BLOCK, status: 'final' }, {}],
  ['again', { signer: SIGNER, block: BLOCK + 1n, status: 'mined' }, { isSentLast: true }],
  ['again, in the same block', { signer: SIGNER, block: BLOCK, status: 'final' }, { isSentLast: true }],
])('a revert is no failure when an earlier call of its contract was done %s', async (_where, place, how) => {
  expect(await settle(place, how)).toBe('queued');
});

test.each<[string, Place, Earlier]>([
  ['in an earlier block', { signer: OTHER, block: BLOCK - 1n, status: 'final' }, {}],
  ['in the same block before', { signer: SIGNER, block: BLOCK, status: 'final' }, {}],
  ['before, and is sent again', { signer: OTHER, block: BLOCK + 1n, status: 'mined' }, { wasDone: true }],
])('a revert is a failure when an earlier call of its contract was done %s', async (_where, place, how) => {
  expect(await settle(place, how)).toBe('failed');
});

test('a revert is no failure when what it needs reverted too, since what that needs was done later', async () => {
  const [deployment, first, second] = await queueMany(['deploy_token', 'mint', 'mint']);
  await mine(deployment!, EARLIER_HASH, { signer: OTHER, block: BLOCK + 1n, status: 'final' });
  const ids = [
    await mine(first!, HASH, { signer: SIGNER, block: BLOCK, status: 'final' }),
    await mine(second!, BEFORE_HASH, { signer: SIGNER, block: BLOCK + 2n, status: 'final' }),
  ];
  await db.transaction(async (tx) => {
    const success = { number: deployment!, result: CONTRACT, transactionHash: EARLIER_HASH };
    await confirmIntents(tx, [success], true);
    await settleReverted(tx, [
      { id: ids[0]!, number: first!, hash: HASH },
      { id: ids[1]!, number: second!, hash: BEFORE_HASH },
    ]);
  });
  expect([await statusOf(first!), await statusOf(second!)]).toEqual(['queued', 'queued']);
});

test.each([
  ['is no failure', 'above', BLOCK + 1n, 'queued'],
  ['is a failure', 'at', BLOCK, 'failed'],
] as const)(
  'a simulated revert %s when an earlier call of its contract is done in a block %s the one that was asked',
  async (_what, _where, block, status) => {
    const [deployment, mint] = await queueMany(['deploy_token', 'mint']);
    await mine(deployment!, EARLIER_HASH, { signer: SIGNER, block, status: 'mined' });
    const success = { number: deployment!, result: CONTRACT, transactionHash: EARLIER_HASH };
    await db.transaction((tx) => confirmIntents(tx, [success], false));
    const lane = openLane(createLaneParts(db, SIGNER, { config: ENGINE_CONFIG }), {
      term: 1n,
      nextNonce: 1n,
    });
    const head = { number: BLOCK, hash: HASH };
    const error = { code: 'CHAIN_ERROR', message: 'no' } as const;
    const failure = { number: mint!, error, transactionHash: null };
    expect(await failUnlessPremature(lane, { final: head, head }, failure)).toBe(status === 'failed');
    expect(await statusOf(mint!)).toBe(status);
  },
);

test('what is later is found by indexes, among many transactions', async () => {
  const asked: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => void asked.push(sql));
  await findBehind(db, [1n]);
  await db.transaction((tx) => isDoneAbove(tx, 1n, { number: 1n, hash: HASH }));
  const plans: string[] = [];
  for (const sql of asked.filter((each) => /^(select|with)/.test(each))) {
    const rows = await query<{ 'QUERY PLAN': string }>(db, `explain (generic_plan) ${sql}`);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toMatch(/transactions_unfinished on transactions/);
    expect(plan).not.toMatch(/Seq Scan on (transactions|intents)/);
    // Without a condition the whole index is read.
    expect(plan).not.toMatch(/intents_pkey on intents.*\n(?!\s+Index Cond)/);
  }
});

test('a revert is a failure whatever is done later of another contract', async () => {
  const place = { signer: OTHER, block: BLOCK + 1n, status: 'mined' } as const;
  expect(await settle(place, { contract: OTHER_CONTRACT })).toBe('failed');
});
