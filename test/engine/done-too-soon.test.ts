import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { confirmIntents } from '../../src/engine/store/verdicts.ts';
import { settleFinished } from '../../src/engine/verdict/finished.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertChain, insertLane, makeSender } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { SHARES } from './engine-config.ts';

/*
 * A deep reorg may mine what one signer sent of a contract before what another one had sent of it: a mint fails, and its
 * deployment comes later.
 */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const OTHER_CONTRACT = `0x${'c1'.repeat(20)}` as const;
const EARLIER_HASH = `0x${'aa'.repeat(32)}` as const;
const HASH = `0x${'bb'.repeat(32)}` as const;
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
  const [lane] = await query<{ nonce: bigint }>(
    db,
    'select next_nonce as nonce from lanes where signer = :signer',
    {
      signer: toBytes(signer),
    },
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

/** Settles a mint that reverted in a final block. Returns its status; the other call is done at that place. */
async function settle(place: Place, contract: Hex = CONTRACT): Promise<string> {
  const earlier = (await queueIntent(db, contract, { kind: 'deploy_token', operator: CONTRACT })).number;
  const { number } = await queueIntent(db, CONTRACT);
  const earlierId = await mine(earlier, EARLIER_HASH, place);
  const isFinal = place.status === 'final';
  const id = await mine(number, HASH, { signer: SIGNER, block: BLOCK, status: 'final' });
  await db.transaction(async (tx) => {
    const success = { number: earlier, result: contract, transactionHash: EARLIER_HASH };
    await confirmIntents(tx, [success], isFinal);
    await settleFinished(
      tx,
      { bits: { findDone: () => new Set() }, shares: SHARES, displacedNonces: { mayBeMined: () => false } },
      [
        { id, isBlameless: false, minedHash: HASH, callCount: 1 },
        ...(isFinal ? [{ id: earlierId, isBlameless: false, minedHash: EARLIER_HASH, callCount: 1 }] : []),
      ],
      [
        {
          ...{ epoch: 1n, number, transactionHash: HASH },
          result: { ok: false, gasUsed: 100n, returnData: '0xdeadbeef' },
        },
        {
          ...{ epoch: 1n, number: earlier, transactionHash: EARLIER_HASH },
          result: { ok: true, gasUsed: 100n, returnData: '0x' },
        },
      ],
      () => true,
    );
  });
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

test.each<[string, Place]>([
  ['in a later block', { signer: OTHER, block: BLOCK + 1n, status: 'mined' }],
  ['in a later block that is final too', { signer: OTHER, block: BLOCK + 1n, status: 'final' }],
  ['in the same block', { signer: OTHER, block: BLOCK, status: 'final' }],
])('a revert is no failure when an earlier call of its contract was done %s', async (_where, place) => {
  expect(await settle(place)).toBe('queued');
});

test.each<[string, Place]>([
  ['in an earlier block', { signer: OTHER, block: BLOCK - 1n, status: 'final' }],
  ['in the same block by the same signer', { signer: SIGNER, block: BLOCK, status: 'final' }],
])('a revert is a failure when an earlier call of its contract was done %s', async (_where, place) => {
  expect(await settle(place)).toBe('failed');
});

test('a revert is a failure whatever is done later of another contract', async () => {
  expect(await settle({ signer: OTHER, block: BLOCK + 1n, status: 'mined' }, OTHER_CONTRACT)).toBe('failed');
});
