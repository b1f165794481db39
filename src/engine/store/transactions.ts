import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** A lane's right to write: every statement of its holder carries the epoch. */
export interface LaneKey {
  signer: Hex;
  epoch: bigint;
}

/** Signed bytes for one nonce slot. Fees are wei per gas. */
export interface Attempt {
  hash: Hex;
  raw: Hex;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** One call of a transaction: which intent, and the gas that it may use. */
export interface Member {
  number: bigint;
  contract: Hex;
  gasCap: number;
  fullGas: boolean;
}

/** A transaction that has no final verdict yet. */
export interface Transaction {
  id: bigint;
  nonce: bigint;
  gasLimit: bigint;
  /** Gas that it will use by experience; its limit when another process made it. */
  expectedGas: number;
  calldata: Hex;
  attempts: Attempt[];
  members: Member[];
  /** Set while a receipt of one of its attempts stands in the chain but is not yet deep enough. */
  mined: { hash: Hex; blockNumber: bigint; blockHash: Hex } | null;
}

/**
 * Allocates the nonce and stores transaction, membership and signed bytes, and moves the intents to `submitted`:
 * all or nothing. Returns the transaction's id, or null when the lane was lost or an intent left the queue meanwhile.
 */
export async function insertTransaction(
  db: Db,
  lane: LaneKey,
  draft: { nonce: bigint; gasLimit: bigint; calldata: Hex; attempt: Attempt; members: readonly Member[] },
): Promise<bigint | null> {
  const stale = new Error('the lane was lost, or an intent left the queue');
  try {
    return await db.transaction(async (tx) => {
      const [row] = await query<{ id: bigint; moved: bigint }>(
        tx,
        `with lane as (
         update lanes set next_nonce = next_nonce + 1
          where signer = :signer and epoch = :epoch and next_nonce = :nonce returning signer
       ), stored as (
         insert into transactions (signer, nonce, gas_limit, calldata)
         select signer, :nonce, :gasLimit, :calldata from lane returning id
       ), attempt as (
         insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
         select :hash, id, :raw, :maxFee, :tip from stored
       ), members as (
         insert into transaction_intents (transaction_id, position, intent_number, gas_cap)
         select stored.id, m.position - 1, m.number, m.gas_cap
           from stored, unnest(cast(:numbers as bigint[]), cast(:gasCaps as int[])) with ordinality as m (number, gas_cap, position)
       ), moved as (
         update intents i set status = 'submitted', transaction_hash = :hash, updated_at = now()
           from stored where i.number = any(cast(:numbers as bigint[])) and i.status = 'queued' returning 1
       )
       select stored.id, (select count(*) from moved) as moved from stored`,
        {
          signer: toBytes(lane.signer),
          epoch: String(lane.epoch),
          nonce: String(draft.nonce),
          gasLimit: String(draft.gasLimit),
          calldata: toBytes(draft.calldata),
          hash: toBytes(draft.attempt.hash),
          raw: toBytes(draft.attempt.raw),
          maxFee: String(draft.attempt.maxFeePerGas),
          tip: String(draft.attempt.maxPriorityFeePerGas),
          numbers: draft.members.map(({ number }) => String(number)),
          gasCaps: draft.members.map(({ gasCap }) => gasCap),
        },
      );
      if (!row || row.moved !== BigInt(draft.members.length)) throw stale;
      return row.id;
    });
  } catch (error) {
    if (error === stale) return null;
    throw error;
  }
}

/** Adds signed bytes with higher fees for the same slot; false when the lane or the transaction is no longer ours. */
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
       select ?, t.id, ?, ?, ? from transactions t join lanes l using (signer)
        where t.id = ? and t.status = 'open' and l.signer = ? and l.epoch = ?
       on conflict (hash) do nothing returning transaction_id
     )
     update intents set transaction_hash = ?, updated_at = now()
      where status = 'submitted' and number in (
        select intent_number from transaction_intents m join stored using (transaction_id) where m.live)
     returning 1`,
    [
      toBytes(attempt.hash),
      toBytes(attempt.raw),
      String(attempt.maxFeePerGas),
      String(attempt.maxPriorityFeePerGas),
      String(transactionId),
      toBytes(lane.signer),
      String(lane.epoch),
      toBytes(attempt.hash),
    ],
  );
  return rows.length > 0;
}

/** Every transaction of the signer that is not final, with all its attempts and members, by nonce. */
export async function findUnfinished(db: Db, signer: Hex): Promise<Transaction[]> {
  const rows = await query<{
    id: bigint;
    nonce: bigint;
    gas_limit: bigint;
    calldata: Buffer;
    mined_hash: Buffer | null;
    block_number: bigint | null;
    block_hash: Buffer | null;
  }>(
    db,
    `select id, nonce, gas_limit, calldata, mined_hash, block_number, block_hash
       from transactions where signer = ? and status in ('open', 'mined') order by nonce`,
    [toBytes(signer)],
  );
  const ids = rows.map(({ id }) => String(id));
  const attempts = await query<{
    transaction_id: bigint;
    hash: Buffer;
    raw: Buffer;
    max_fee_per_gas: string;
    max_priority_fee_per_gas: string;
  }>(
    db,
    `select transaction_id, hash, raw, max_fee_per_gas, max_priority_fee_per_gas
       from attempts where transaction_id = any(?::bigint[]) order by max_fee_per_gas`,
    [ids],
  );
  const members = await query<{
    transaction_id: bigint;
    intent_number: bigint;
    contract: Buffer;
    gas_cap: number;
    full_gas: boolean;
  }>(
    db,
    `select m.transaction_id, m.intent_number, i.contract, m.gas_cap, i.full_gas
       from transaction_intents m join intents i on i.number = m.intent_number
      where m.transaction_id = any(?::bigint[]) and m.live order by m.transaction_id, m.position`,
    [ids],
  );
  return rows.map((row) => ({
    id: row.id,
    nonce: row.nonce,
    gasLimit: row.gas_limit,
    expectedGas: Number(row.gas_limit),
    calldata: toHex(row.calldata),
    attempts: attempts
      .filter(({ transaction_id }) => transaction_id === row.id)
      .map((attempt) => ({
        hash: toHex(attempt.hash),
        raw: toHex(attempt.raw),
        maxFeePerGas: BigInt(attempt.max_fee_per_gas),
        maxPriorityFeePerGas: BigInt(attempt.max_priority_fee_per_gas),
      })),
    members: members
      .filter(({ transaction_id }) => transaction_id === row.id)
      .map((member) => ({
        number: member.intent_number,
        contract: toHex(member.contract),
        gasCap: member.gas_cap,
        fullGas: member.full_gas,
      })),
    mined: row.block_hash && {
      hash: toHex(row.mined_hash!),
      blockNumber: row.block_number!,
      blockHash: toHex(row.block_hash),
    },
  }));
}

/** Keeps everybody else from taking the lane until the end of this database transaction; false when it is not ours. */
export async function keepLane(tx: Tx, lane: LaneKey): Promise<boolean> {
  const rows = await query(tx, 'select 1 from lanes where signer = ? and epoch = ? for share', [
    toBytes(lane.signer),
    String(lane.epoch),
  ]);
  return rows.length > 0;
}

/** Moves the row of a transaction; false when it is not in the state `from` or the lane was lost. */
export async function updateTransaction(
  tx: Tx,
  lane: LaneKey,
  id: bigint,
  from: 'open' | 'mined',
  to: {
    status: 'open' | 'mined' | 'final' | 'displaced';
    mined: { hash: Hex; blockNumber: bigint; blockHash: Hex; gasUsed: bigint } | null;
  },
): Promise<boolean> {
  const rows = await query(
    tx,
    `update transactions t
        set status = ?, mined_hash = ?, block_number = ?, block_hash = ?, gas_used = ?
       from lanes l
      where t.id = ? and t.status = ? and l.signer = t.signer and l.signer = ? and l.epoch = ?
     returning 1`,
    [
      to.status,
      to.mined && toBytes(to.mined.hash),
      to.mined && String(to.mined.blockNumber),
      to.mined && toBytes(to.mined.blockHash),
      to.mined && String(to.mined.gasUsed),
      String(id),
      from,
      toBytes(lane.signer),
      String(lane.epoch),
    ],
  );
  return rows.length > 0;
}

/** Frees intents of a transaction that had no effect, so that another transaction may carry them. */
export async function releaseMembers(
  tx: Tx,
  transactionId: bigint,
  numbers: readonly bigint[],
): Promise<void> {
  await query(
    tx,
    `update transaction_intents set live = false where transaction_id = ? and intent_number = any(?::bigint[]) and live`,
    [String(transactionId), numbers.map(String)],
  );
}
