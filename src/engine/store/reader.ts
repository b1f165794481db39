import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';
import { toBytes } from '../../lib/hex.ts';
import { LEASE, isLeased } from './leases.ts';
import { ARE_COMMITS_LOST } from './epochs.ts';

/** The right of one process to write what the chain says: every statement of its holder carries the term. */
export interface ReaderKey {
  term: bigint;
}

/**
 * A cursor, the term of the reader, and the milliseconds since the last look began that has shown no block beyond its
 * head; Infinity when that is not known, as after the clock of the database was set back.
 */
export interface AgedCursor extends Cursor, ReaderKey {
  ageMs: number;
}

interface AgedCursorRow {
  finalNumber: bigint;
  finalHash: Hex;
  headNumber: bigint;
  /** Null before the first step, as the others are. */
  headHash: Hex | null;
  ageMs: number | null;
  term: bigint;
}

const toAgedCursor = (row: AgedCursorRow): AgedCursor | null =>
  row.headHash && {
    final: { number: row.finalNumber, hash: row.finalHash },
    head: { number: row.headNumber, hash: row.headHash },
    ageMs: row.ageMs ?? Infinity,
    term: row.term,
  };

const AGED_CURSOR = `term, final_number as "finalNumber", final_hash as "finalHash", head_number as "headNumber", head_hash as "headHash",
            case when looked_at <= clock_timestamp()
                 then (extract(epoch from clock_timestamp() - looked_at) * 1000)::float8 end as "ageMs"`;

/**
 * Becomes the one that reads the chain, if nobody is and no commits are lost, as `takeLane` says. The cursor as
 * `readCursor` says.
 */
export async function takeReader(
  db: Db,
  holder: string,
  leaseMs: number,
): Promise<{ key: ReaderKey; cursor: AgedCursor | null } | undefined> {
  const [row] = await query<AgedCursorRow>(
    db,
    `update reader r set term = term + 1, holder = :holder, ${LEASE}
      where not ${isLeased('r')} and not ${ARE_COMMITS_LOST} returning ${AGED_CURSOR}`,
    { holder, leaseMs },
  );
  return row && { key: { term: row.term }, cursor: toAgedCursor(row) };
}

/**
 * Moves the cursor from the head where this process knows it, and renews the lease; false when another process holds
 * it, or has moved it.
 * @param lookedAt when the chain was asked for its head, and has shown none beyond this one; null when it has, or was
 * not asked. By the database's clock, as `findUnfinishedLanes` gives it
 */
export function moveCursor(
  tx: Db | Tx,
  { term }: ReaderKey,
  {
    from,
    to,
    lookedAt,
    leaseMs,
  }: { from: BlockId | null; to: Cursor; lookedAt: string | null; leaseMs: number },
): Promise<boolean> {
  return hasRows(
    tx,
    `update reader
        set final_number = :finalNumber, final_hash = :finalHash, head_number = :headNumber, head_hash = :headHash,
            head_at = case when head_hash = :headHash then head_at else now() end,
            first_number = coalesce(first_number, :finalNumber), first_hash = coalesce(first_hash, :finalHash),
            looked_at = coalesce(:lookedAt::timestamptz, looked_at), ${LEASE}
      where term = :term and head_hash is not distinct from :from and not ${ARE_COMMITS_LOST} returning 1`,
    {
      term: String(term),
      from: from && toBytes(from.hash),
      finalNumber: String(to.final.number),
      finalHash: toBytes(to.final.hash),
      headNumber: String(to.head.number),
      headHash: toBytes(to.head.hash),
      lookedAt,
      leaseMs,
    },
  );
}

/**
 * Takes the cursor back to a block, from where whoever takes the lease next settles everything again. Until the end of
 * the database transaction that right is the caller's, who gets its key; undefined when the cursor is not where it was.
 * The head counts as not looked at since.
 */
export async function rewindCursor(tx: Tx, from: Cursor, to: BlockId): Promise<ReaderKey | undefined> {
  const [key] = await query<ReaderKey>(
    tx,
    `update reader
        set final_number = :number, final_hash = :hash, head_number = :number, head_hash = :hash,
            term = term + 1, lease_until = '-infinity'
      where final_hash = :finalHash and head_hash = :headHash returning term`,
    {
      number: String(to.number),
      hash: toBytes(to.hash),
      finalHash: toBytes(from.final.hash),
      headHash: toBytes(from.head.hash),
    },
  );
  return key;
}

/** Keeps the lease without a look at the chain; false when it was lost. */
export function renewReader(db: Db, { term }: ReaderKey, leaseMs: number): Promise<boolean> {
  return hasRows(
    db,
    `update reader set ${LEASE}
      where term = :term and not ${ARE_COMMITS_LOST} returning 1`,
    { term: String(term), leaseMs },
  );
}

/** Lets another process take over at once. */
export async function endReader(db: Db, { term }: ReaderKey): Promise<void> {
  await query(db, `update reader set lease_until = '-infinity' where term = :term`, {
    term: String(term),
  });
}

/** Null before the first step. */
export async function readCursor(db: Db): Promise<AgedCursor | null> {
  const [row] = await query<AgedCursorRow>(db, `select ${AGED_CURSOR} from reader`);
  return row ? toAgedCursor(row) : null;
}

/**
 * Whether a cursor is that of the reader still, and no reorg seems to have taken its final block away. Until the end of
 * the database transaction nobody changes that.
 */
export function lockCursor(tx: Tx, { term }: ReaderKey): Promise<boolean> {
  return hasRows(
    tx,
    `select 1 from reader
      where term = :term and not exists (select 1 from deep_reorgs where resolved_at is null) for share`,
    { term: String(term) },
  );
}
