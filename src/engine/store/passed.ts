import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { FINISHED, toFinished } from './mined.ts';
import type { FinishedRow, FinishedTransaction } from './mined.ts';
import { OPEN_AGAIN } from './transactions.ts';

/** Ends a transaction that `markPassed` has marked, in a block that is final. Returns it. */
export async function finishPassed(tx: Tx, id: bigint): Promise<FinishedTransaction[]> {
  const rows = await query<FinishedRow>(
    tx,
    `update transactions t set status = case when mined_hash is null then 'displaced' else 'final' end
      where id = :id and status = 'mined' returning ${FINISHED}`,
    { id: String(id) },
  );
  return rows.map(toFinished);
}

/** Opens transactions of a signer again that are taken for displaced, from the nonce on that the chain waits for. */
export async function reopenMarked(tx: Tx, signer: Hex, count: bigint): Promise<void> {
  await query(
    tx,
    `update transactions set ${OPEN_AGAIN}
      where signer = :signer and nonce >= :count and status = 'mined' and mined_hash is null`,
    { signer: toBytes(signer), count: String(count) },
  );
}

/**
 * Marks a transaction whose nonce the chain has used. `hash` is null when no attempt of it is known to be mined. Returns
 * it when it is marked by one of its attempts now.
 */
export async function markPassed(
  tx: Tx,
  passed: { id: bigint; hash: Hex | null; block: BlockId; wasRefused: boolean },
): Promise<FinishedTransaction[]> {
  const rows = await query<FinishedRow>(
    tx,
    `update transactions t
        set status = 'mined', mined_hash = :hash, block_number = :blockNumber, block_hash = :blockHash,
            was_refused = :wasRefused
      where id = :id and status in ('open', 'mined') and mined_hash is null
     returning ${FINISHED}`,
    {
      id: String(passed.id),
      wasRefused: passed.wasRefused,
      hash: passed.hash && toBytes(passed.hash),
      blockNumber: String(passed.block.number),
      blockHash: toBytes(passed.block.hash),
    },
  );
  return rows.filter(({ mined_hash }) => mined_hash !== null).map(toFinished);
}

/** A transaction whose nonce the chain has used, by none of its attempts as far as is known. */
export interface PassedTransaction extends OperatorEpoch {
  id: bigint;
  /** Set when its nonce is taken for used by another program: the block at which that was seen. */
  markedIn: BlockId | null;
  signer: Hex;
  nonce: bigint;
  /** Of all its attempts. */
  hashes: Hex[];
}

/** Transactions of a signer below a nonce of which no attempt is known to be mined, in order; none that is finished. */
export async function findOpenBelow(db: Db, signer: Hex, nonce: bigint): Promise<PassedTransaction[]> {
  const rows = await query<
    Omit<PassedTransaction, 'markedIn' | 'signer' | 'operator' | 'hashes'> & {
      block_number: bigint | null;
      block_hash: Buffer | null;
      operator: Buffer;
      hashes: Buffer[];
    }
  >(
    db,
    `select t.id, t.block_number, t.block_hash, t.nonce, t.operator, t.epoch,
            (select coalesce(array_agg(a.hash), '{}') from attempts a where a.transaction_id = t.id) as hashes
       from transactions t where t.signer = :signer and t.status in ('open', 'mined') and t.mined_hash is null and t.nonce < :nonce order by t.nonce`,
    { signer: toBytes(signer), nonce: String(nonce) },
  );
  return rows.map(({ block_number: number, block_hash: hash, ...row }) => ({
    ...row,
    markedIn: hash && { number: number!, hash: toHex(hash) },
    signer,
    operator: toHex(row.operator),
    hashes: row.hashes.map(toHex),
  }));
}
