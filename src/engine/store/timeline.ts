import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { TransactionStatus } from '../states.ts';

/** An attempt that was signed for an intent, with its transaction. */
export interface SentAttempt {
  hash: Hex;
  /** In wei for each unit of gas. */
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** When it was signed, which is just before it was sent. */
  sentAt: Date;
  nonce: bigint;
  transactionId: bigint;
  status: TransactionStatus;
  /** Whether this transaction decides on the intent, or did. */
  isLive: boolean;
  /** Of the attempt that was mined; null before that, and when it is none that is known. */
  minedHash: Hex | null;
  /** Where the nonce was used; null before. */
  block: { number: bigint; hash: Hex } | null;
}

/** What happened to an intent so far. */
export interface IntentHistory {
  /** Null while a reorg may still take the verdict back. */
  finalAt: Date | null;
  /** Oldest first. */
  attempts: SentAttempt[];
}

interface AttemptRow {
  hash: Buffer;
  max_fee: string;
  max_priority_fee: string;
  sent_at: Date;
  nonce: bigint;
  transaction_id: bigint;
  status: TransactionStatus;
  live: boolean;
  mined_hash: Buffer | null;
  block_number: bigint | null;
  block_hash: Buffer | null;
}

/** The newest `limit` attempts of an intent, and whether it is final. */
export async function readHistory(db: Db, number: bigint, limit: number): Promise<IntentHistory> {
  const [intent] = await query<{ final_at: Date | null }>(
    db,
    'select final_at from intents where number = :number',
    { number: String(number) },
  );
  const rows = await query<AttemptRow>(
    db,
    `select a.hash, a.max_fee_per_gas::text as max_fee, a.max_priority_fee_per_gas::text as max_priority_fee,
            a.created_at as sent_at, t.nonce, t.id as transaction_id, t.status, t.id is not distinct from i.live_in as live, t.mined_hash, t.block_number, t.block_hash
       from intents i join transactions t on t.id = any(i.sent_in) join attempts a on a.transaction_id = t.id
      where i.number = :number order by t.id desc, a.max_fee_per_gas desc limit :limit`,
    { number: String(number), limit },
  );
  return { finalAt: intent?.final_at ?? null, attempts: rows.map(toAttempt).reverse() };
}

const toAttempt = (row: AttemptRow): SentAttempt => ({
  hash: toHex(row.hash),
  maxFeePerGas: BigInt(row.max_fee),
  maxPriorityFeePerGas: BigInt(row.max_priority_fee),
  sentAt: row.sent_at,
  nonce: row.nonce,
  transactionId: row.transaction_id,
  status: row.status,
  isLive: row.live,
  minedHash: row.mined_hash && toHex(row.mined_hash),
  block: row.block_hash && { number: row.block_number!, hash: toHex(row.block_hash) },
});
