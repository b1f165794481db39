import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { retryOnDeadlock } from '../../db/deadlock.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { laneBindings } from './lanes.ts';
import type { LaneKey } from './lanes.ts';
import { IS_OVERTAKEN } from './overtaken.ts';
import { ARE_COMMITS_LOST } from './epochs.ts';
import type { Attempt, Member } from './transactions.ts';

/** What is signed for a nonce, and not stored yet. */
interface Draft extends OperatorEpoch {
  nonce: bigint;
  gasLimit: bigint;
  /** Wei that it will cost by experience. */
  expectedFee: bigint;
  attempt: Attempt;
}

/** A signed transaction that is not stored yet. */
export interface TransactionDraft extends Draft {
  expectedGas: number;
  calldata: Hex;
  members: readonly Member[];
  /** Whether one of its intents was sent before, and may not come after a later one of its contract. */
  mayBeOvertaken: boolean;
}

/** What became of a draft: stored when it has an id. */
export interface Inserted {
  id: bigint | null;
  /**
   * Intents that left the queue, or its epoch, meanwhile, or were overtaken: nothing was stored for their sake. None
   * when the lane was lost.
   */
  left: readonly bigint[];
}

/** Of SQL that stores signed bytes. */
const attemptBindings = (lane: LaneKey, attempt: Attempt) => ({
  ...laneBindings(lane),
  hash: toBytes(attempt.hash),
  raw: toBytes(attempt.raw),
  maxFee: String(attempt.maxFeePerGas),
  tip: String(attempt.maxPriorityFeePerGas),
});

/** Of SQL that stores a transaction with them. */
const draftBindings = (lane: LaneKey, draft: Draft) => ({
  ...attemptBindings(lane, draft.attempt),
  nonce: String(draft.nonce),
  gasLimit: String(draft.gasLimit),
  expectedFee: String(draft.expectedFee),
  operator: toBytes(draft.operator),
  ofEpoch: String(draft.epoch),
});

/**
 * Takes the nonce that the bytes are signed with, stores transaction and bytes, and moves the intents to `submitted`:
 * all or nothing.
 */
export async function insertTransaction(db: Db, lane: LaneKey, draft: TransactionDraft): Promise<Inserted> {
  const stale = new Error('the lane was lost, or an intent left the queue');
  let left: readonly bigint[] = [];
  try {
    return await db.transaction(async (tx) => {
      const row = await insertAll(tx, lane, draft);
      if (!row) throw stale;
      const moved = new Set(row.moved);
      left = draft.members.map(({ number }) => number).filter((number) => !moved.has(String(number)));
      // As many as members: an intent that is named twice moves once.
      if (left.length > 0 || row.moved.length < draft.members.length) throw stale;
      return { id: row.id, left };
    });
  } catch (error) {
    if (error === stale) return { id: null, left };
    throw error;
  }
}

/** Returns the id, and which intents moved; undefined when the lane was lost, or is the sender no longer. */
async function insertAll(
  tx: Tx,
  lane: LaneKey,
  draft: TransactionDraft,
): Promise<{ id: bigint; moved: string[] } | undefined> {
  const [row] = await query<{ id: bigint; moved: string[] }>(
    tx,
    `with lane as (
       update lanes set next_nonce = next_nonce + 1
        where signer = :signer and term = :term and next_nonce = :nonce and is_sender and not ${ARE_COMMITS_LOST} returning signer
     ), stored as (
       insert into transactions (signer, nonce, gas_limit, expected_gas, expected_fee, operator, epoch, calldata, intent_numbers, gas_caps)
       select signer, :nonce, :gasLimit, :expectedGas, :expectedFee, :operator, :ofEpoch, :calldata, :numbers::bigint[], :gasCaps::int[]
         from lane returning id
     ), attempt as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select :hash, id, :raw, :maxFee, :tip from stored
     ), moved as (
       update intents i set status = 'submitted', transaction_hash = :hash, updated_at = now(),
                            decided_by = stored.id, sent_in = i.sent_in || stored.id
         from stored
        where i.number = any(:numbers::bigint[]) and i.status = 'queued'
          and i.operator = :operator and i.epoch = :ofEpoch ${draft.mayBeOvertaken ? `and not ${IS_OVERTAKEN}` : ''} returning i.number
     )
     select stored.id, array(select number::text from moved) as moved from stored`,
    {
      ...draftBindings(lane, draft),
      expectedGas: String(draft.expectedGas),
      calldata: toBytes(draft.calldata),
      numbers: draft.members.map(({ number }) => String(number)),
      gasCaps: draft.members.map(({ gasCap }) => gasCap),
    },
  );
  return row;
}

/** Adds signed bytes with higher fees for the same nonce; false when the lane or the transaction is no longer ours. */
export function insertAttempt(
  db: Db | Tx,
  lane: LaneKey,
  transactionId: bigint,
  attempt: Attempt,
): Promise<boolean> {
  return hasRows(
    db,
    `with stored as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select :hash, t.id, :raw, :maxFee, :tip from transactions t join lanes l using (signer)
        where t.id = :transactionId and t.status = 'open' and l.signer = :signer and l.term = :term
          and not ${ARE_COMMITS_LOST}
       on conflict (hash) do update set given_up = false where attempts.given_up returning transaction_id
     ), shown as (
       update intents i set transaction_hash = :hash, updated_at = now()
         from stored join transaction_intents m using (transaction_id)
        where i.number = m.intent_number and i.status = 'submitted' and i.decided_by = m.transaction_id
     )
     select 1 from stored`,
    { ...attemptBindings(lane, attempt), transactionId: String(transactionId) },
  );
}

/** An open transaction that becomes a no-op, and its first attempt as one. */
interface NoopDraft extends Pick<Draft, 'gasLimit' | 'expectedFee' | 'attempt'> {
  id: bigint;
}

/**
 * Makes open transactions no-ops, all or none: calls of one contract that are given up in one and not in another would
 * change places. For the same reason what was signed for them is not sent again. False when the lane or one of the
 * transactions is no longer ours.
 */
export async function turnIntoNoops(db: Db, lane: LaneKey, noops: readonly NoopDraft[]): Promise<boolean> {
  const stale = new Error('the lane was lost, or a transaction is not open any more');
  try {
    // Who reads the chain locks transactions in another order.
    await retryOnDeadlock(() =>
      db.transaction(async (tx) => {
        for (const noop of noops) if (!(await turnIntoNoop(tx, lane, noop))) throw stale;
      }),
    );
    return true;
  } catch (error) {
    if (error === stale) return false;
    throw error;
  }
}

async function turnIntoNoop(tx: Tx, lane: LaneKey, noop: NoopDraft): Promise<boolean> {
  const { id, gasLimit, expectedFee, attempt } = noop;
  const rows = await query(
    tx,
    `with turned as (
       update transactions
          set is_noop = true, gas_limit = :gasLimit, expected_gas = :gasLimit, expected_fee = :expectedFee
        where id = :id and status = 'open' returning id
     ), calls as (
       update attempts a set given_up = true from turned where a.transaction_id = turned.id
     )
     select 1 from turned`,
    { id: String(id), gasLimit: String(gasLimit), expectedFee: String(expectedFee) },
  );
  // Which asks whether the lane is ours.
  return rows.length > 0 && insertAttempt(tx, lane, id, attempt);
}

/**
 * Stores no-ops as `insertNoop` does, in one database transaction: a process that dies leaves no part of them, of which
 * the next holder of the lane would send the first without those behind it. Returns their ids, in order.
 * @param noops by nonce
 */
export function insertNoops(db: Db, lane: LaneKey, noops: readonly Draft[]): Promise<(bigint | null)[]> {
  return db.transaction(async (tx) => {
    const ids: (bigint | null)[] = [];
    for (const noop of noops) ids.push(await insertNoop(tx, lane, noop));
    return ids;
  });
}

/**
 * Stores a no-op for the lane's next nonce, or for one below it that the chain waits for: no transaction has it, or one
 * that gave it up as used elsewhere, which a wrong count had said. What was signed for that one is not sent again: its
 * calls go elsewhere, or were cancelled since. Returns its id; null when the lane was lost, or a transaction has the
 * nonce.
 */
export async function insertNoop(db: Db | Tx, lane: LaneKey, noop: Draft): Promise<bigint | null> {
  const [row] = await query<{ id: bigint }>(
    db,
    `with lane as (
       update lanes set next_nonce = greatest(next_nonce, :nonce::bigint + 1)
        where signer = :signer and term = :term and next_nonce >= :nonce and not ${ARE_COMMITS_LOST} returning signer
     ), stored as (
       insert into transactions (signer, nonce, is_noop, gas_limit, expected_gas, expected_fee, operator, epoch, calldata)
       select signer, :nonce, true, :gasLimit, :gasLimit, :expectedFee, :operator, :ofEpoch, '' from lane
           on conflict (signer, nonce) do update
              set status = 'open', is_noop = true, gas_limit = excluded.gas_limit, expected_gas = excluded.expected_gas,
                  expected_fee = excluded.expected_fee, block_number = null, block_hash = null
            where transactions.status = 'displaced'
       returning id
     ), earlier as (
       update attempts a set given_up = true from stored where a.transaction_id = stored.id and a.hash <> :hash
     ), attempt as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       -- The same no-op may have had the nonce before it was given up.
       select :hash, id, :raw, :maxFee, :tip from stored on conflict (hash) do update set given_up = false
     )
     select id from stored`,
    draftBindings(lane, noop),
  );
  return row?.id ?? null;
}
