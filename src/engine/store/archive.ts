import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { RECORD_LIFETIME } from '../../db/idempotency.ts';
import { ARE_COMMITS_LOST, mayBeReopened } from './epochs.ts';

/** Rows that one page reads, and that one database transaction deletes: none holds a lock for long. */
export const ARCHIVE_PAGE = 500;

/** Where a search for what is finished stands. */
interface ArchiveSearch {
  /** Only what is behind this number, or id. */
  after: bigint;
  /** Only what was final, or signed, before this moment. */
  before: Date;
}

/** A page of what was looked at. */
interface SearchedPage<Item> {
  found: Item[];
  /** Behind which the next page begins; null when there is none. */
  last: bigint | null;
}

/**
 * SQL: whether something of the contract of `intents i` was asked before it and is not final: that may go again, and
 * has to know what came later.
 */
const HAS_EARLIER_OPEN = `(
      exists (select 1 from intents e where e.contract = i.contract and e.number < i.number and e.phase = 'open')
   or exists (select 1 from intents e where e.contract = i.contract and e.number < i.number
                                        and e.phase = 'confirmed' and e.final_at is null)
   or exists (select 1 from intents e where e.contract = i.contract and e.number < i.number and e.phase = 'quarantined'))`;

/** SQL: whether `intents i` was in a transaction whose end the engine may yet ask for. */
const HAS_UNFINISHED = `exists (
          select 1 from transactions t where t.id = any(i.sent_in) and t.status <> 'final')`;

/** SQL: the newest write to the chain, by which processes tell whether this database lacks commits. It stays. */
export const NEWEST = `(select number from intents where environment = 'live' order by number desc limit 1)`;

/**
 * Numbers of live intents that were final before a moment and that nothing of the engine needs any more. What failed or
 * was cancelled stays while bytes of it may exist that this database lacks: the chain may do it yet.
 */
export async function findArchivable(
  db: Db,
  { after, before }: ArchiveSearch,
): Promise<SearchedPage<bigint>> {
  const rows = await query<{ number: bigint; isArchivable: boolean; isNewer: boolean }>(
    db,
    `with page as materialized (
       select * from intents where number > :after order by number limit :size
     )
     select number, created_at >= :before as "isNewer",
            environment = 'live' and final_at < :before and number < ${NEWEST}
              and (status = 'confirmed' or not ${mayBeReopened('i')})
              and not ${HAS_UNFINISHED} and not ${HAS_EARLIER_OPEN} as "isArchivable"
       from page i order by number`,
    { after: String(after), before, size: ARCHIVE_PAGE },
  );
  return {
    found: rows.filter(({ isArchivable }) => isArchivable).map(({ number }) => number),
    last: rows.every(({ isNewer }) => isNewer) ? null : rows.at(-1)!.number,
  };
}

/** A transaction, and the numbers of its intents that are not archived. */
interface ArchivableTransaction {
  id: bigint;
  members: bigint[];
}

/** The newest final one of each signer stays: its nonce tells which ones are used. */
export async function findArchivableTransactions(
  db: Db,
  { after, before }: ArchiveSearch,
): Promise<SearchedPage<ArchivableTransaction>> {
  const rows = await query<{ id: bigint; members: string[]; isArchivable: boolean; isNewer: boolean }>(
    db,
    `with page as materialized (
       select * from transactions where id > :after order by id limit :size
     )
     select id, created_at >= :before as "isNewer",
            array(select i.number::text from unnest(t.intent_numbers) n join intents i on i.number = n) as members,
            status = 'final' and created_at < :before
              and nonce < (select max(n.nonce) from transactions n where n.signer = t.signer and n.status = 'final') as "isArchivable"
       from page t order by id`,
    { after: String(after), before, size: ARCHIVE_PAGE },
  );
  return {
    found: rows.flatMap(({ id, members, isArchivable }) =>
      isArchivable ? [{ id, members: members.map(BigInt) }] : [],
    ),
    last: rows.every(({ isNewer }) => isNewer) ? null : rows.at(-1)!.id,
  };
}

/** A row as JSON that PostgreSQL has written: the numbers in it are exact. */
export interface ArchivedRow {
  number: bigint;
  row: string;
}

export interface ArchivedTransaction extends ArchivedRow {
  /** An array. */
  attempts: string;
}

/** Intents, in order; locked until the end of the transaction. */
export function readIntentRows(tx: Tx, numbers: readonly bigint[]): Promise<ArchivedRow[]> {
  return query<ArchivedRow>(
    tx,
    `select i.number, to_jsonb(i)::text as row from intents i where i.number = any(:numbers::bigint[]) order by i.number for update`,
    { numbers: numbers.map(String) },
  );
}

/** Transactions that no intent is in, with their attempts, in order; locked until the end of the transaction. */
export function readTransactionRows(
  tx: Tx,
  ids: readonly bigint[],
): Promise<(ArchivedTransaction & { isEmpty: boolean })[]> {
  return query<ArchivedTransaction & { isEmpty: boolean }>(
    tx,
    `select t.id as number, to_jsonb(t)::text as row,
            (select coalesce(jsonb_agg(to_jsonb(a) order by a.created_at, a.hash), '[]')
               from attempts a where a.transaction_id = t.id)::text as attempts,
            not exists (select 1 from unnest(t.intent_numbers) n join intents i on i.number = n) as "isEmpty"
       from transactions t where t.id = any(:ids::bigint[]) order by t.id for update`,
    { ids: ids.map(String) },
  );
}

/** Deletes intents. Whatever else refers to them has to be gone. */
export async function deleteIntents(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  await query(tx, 'delete from intents where number = any(:numbers::bigint[])', {
    numbers: numbers.map(String),
  });
}

/** Deletes transactions with their attempts. */
export async function deleteTransactions(tx: Tx, ids: readonly bigint[]): Promise<void> {
  const bindings = { ids: ids.map(String) };
  await query(tx, 'delete from attempts where transaction_id = any(:ids::bigint[])', bindings);
  await query(tx, 'delete from transactions where id = any(:ids::bigint[])', bindings);
}

/**
 * Whether verdicts may have to be taken back that count as final: commits are lost, or a deep reorg is not resolved.
 */
export async function areVerdictsUnsure(db: Db): Promise<boolean> {
  const [row] = await query<{ areUnsure: boolean }>(
    db,
    `select ${ARE_COMMITS_LOST} or exists (select 1 from deep_reorgs where resolved_at is null) as "areUnsure"`,
  );
  return row!.areUnsure;
}

/** Until when what was finished may be archived; null when nothing was. */
export async function readArchivedUntil(db: Db): Promise<Date | null> {
  const [row] = await query<{ until: Date | null }>(db, 'select max(before) as until from archives');
  return row!.until;
}

/** As in the index `intents_empty`. */
const IS_EMPTY = `(target is null or phase || '' = 'cancelled')`;

/**
 * Numbers of live intents that ended without anything being signed for them, since the token was so already or since
 * they were cancelled, and whose answers nobody can ask for again. Locked until the end of the transaction.
 */
export async function lockEmptyWrites(tx: Tx, limit: number): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    tx,
    `select number from intents i
      where environment = 'live' and ${IS_EMPTY} and final_at < now() - ${RECORD_LIFETIME}
        and sent_in = '{}' and not was_requeued and not ${mayBeReopened('i')} and number < ${NEWEST}
      order by final_at limit :limit for update skip locked`,
    { limit },
  );
  return rows.map(({ number }) => number);
}

/** Notes that intents up to the newest of these may be missing: processes that remember one then know why. */
export async function noteEmptied(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  await query(
    tx,
    `update server set emptied_up_to = greatest(emptied_up_to, (select max(n) from unnest(:numbers::bigint[]) n))`,
    { numbers: numbers.map(String) },
  );
}
