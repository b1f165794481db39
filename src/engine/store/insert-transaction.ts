import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneKey } from './lanes.ts';
import type { Attempt, Member } from './transactions.ts';

/** A signed transaction that is not stored yet. */
export interface TransactionDraft {
  nonce: bigint;
  gasLimit: bigint;
  expectedGas: number;
  calldata: Hex;
  attempt: Attempt;
  members: readonly Member[];
}

/**
 * Allocates the nonce and stores transaction, membership and signed bytes, and moves the intents to `submitted`:
 * all or nothing. Returns the transaction's id, or null when the lane was lost or an intent left the queue meanwhile.
 */
export async function insertTransaction(
  db: Db,
  lane: LaneKey,
  draft: TransactionDraft,
): Promise<bigint | null> {
  const stale = new Error('the lane was lost, or an intent left the queue');
  try {
    return await db.transaction(async (tx) => {
      const row = await insertAll(tx, lane, draft);
      if (!row || row.moved !== BigInt(draft.members.length)) throw stale;
      return row.id;
    });
  } catch (error) {
    if (error === stale) return null;
    throw error;
  }
}

/** Returns the id, and how many intents moved; undefined when the lane was lost. */
async function insertAll(
  tx: Tx,
  lane: LaneKey,
  draft: TransactionDraft,
): Promise<{ id: bigint; moved: bigint } | undefined> {
  const [row] = await query<{ id: bigint; moved: bigint }>(
    tx,
    `with lane as (
       update lanes set next_nonce = next_nonce + 1
        where signer = :signer and epoch = :epoch and next_nonce = :nonce returning signer
     ), stored as (
       insert into transactions (signer, nonce, gas_limit, expected_gas, calldata)
       select signer, :nonce, :gasLimit, :expectedGas, :calldata from lane returning id
     ), attempt as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select :hash, id, :raw, :maxFee, :tip from stored
     ), members as (
       insert into transaction_intents (transaction_id, position, intent_number, gas_cap)
       select stored.id, m.position - 1, m.number, m.gas_cap
         from stored, unnest(:numbers::bigint[], :gasCaps::int[]) with ordinality as m (number, gas_cap, position)
     ), moved as (
       update intents i set status = 'submitted', transaction_hash = :hash, updated_at = now()
         from stored where i.number = any(:numbers::bigint[]) and i.status = 'queued' returning 1
     )
     select stored.id, (select count(*) from moved) as moved from stored`,
    {
      signer: toBytes(lane.signer),
      epoch: String(lane.epoch),
      nonce: String(draft.nonce),
      gasLimit: String(draft.gasLimit),
      expectedGas: String(draft.expectedGas),
      calldata: toBytes(draft.calldata),
      hash: toBytes(draft.attempt.hash),
      raw: toBytes(draft.attempt.raw),
      maxFee: String(draft.attempt.maxFeePerGas),
      tip: String(draft.attempt.maxPriorityFeePerGas),
      numbers: draft.members.map(({ number }) => String(number)),
      gasCaps: draft.members.map(({ gasCap }) => gasCap),
    },
  );
  return row;
}

/** Adds signed bytes with higher fees for the same nonce; false when the lane or the transaction is no longer ours. */
export async function insertAttempt(
  db: Db,
  lane: LaneKey,
  transactionId: bigint,
  attempt: Attempt,
): Promise<boolean> {
  const rows = await query(
    db,
    `with stored as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select :hash, t.id, :raw, :maxFee, :tip from transactions t join lanes l using (signer)
        where t.id = :transactionId and t.status = 'open' and l.signer = :signer and l.epoch = :epoch
       on conflict (hash) do nothing returning transaction_id
     )
     update intents set transaction_hash = :hash, updated_at = now()
      where status = 'submitted' and number in (
        select intent_number from transaction_intents m join stored using (transaction_id) where m.live)
     returning 1`,
    {
      hash: toBytes(attempt.hash),
      raw: toBytes(attempt.raw),
      maxFee: String(attempt.maxFeePerGas),
      tip: String(attempt.maxPriorityFeePerGas),
      transactionId: String(transactionId),
      signer: toBytes(lane.signer),
      epoch: String(lane.epoch),
    },
  );
  return rows.length > 0;
}
