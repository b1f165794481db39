import { AUDIT_BLOCK } from '../../db/audit.ts';
import type { AuditAction, AuditActor } from '../../db/audit.ts';
import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { pageBindings } from '../../db/page.ts';
import { table } from '../../db/table.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Environment } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import { MAX_RUN, sealsOf, toRuns } from './chain.ts';
import type { Digested, Run, Sealed } from './chain.ts';

/** An entry as it may be shown. */
export interface AuditRecord {
  /** Newer ones have larger ones. */
  number: bigint;
  action: AuditAction;
  actor: AuditActor;
  accountId: string | null;
  credentialId: string | null;
  address: string | null;
  userAgent: string | null;
  environment: Environment | null;
  intentId: string | null;
  details: Record<string, string | boolean | null>;
  createdAt: Date;
  /** Its place in the chain; null for the moment until it is sealed. */
  hash: Hex | null;
}

/**
 * SQL: the rows that have the `:limit` entries next to a number. An entry may stand in the row of a later one of its
 * block: of those that are read first, up to a block may be on the other side of the number, and the block in which the
 * page ends is read whole.
 * @param where picks the rows, by their last numbers up to the end of a block
 */
const rowsOf = (where: string, order: 'asc' | 'desc'): string => `(
    select * from (
      select r.*, coalesce(sum(coalesce(cardinality(numbers), 1)) over (
               order by number ${order} rows between unbounded preceding and 1 preceding), 0) as passed
        from (select * from audit_entries where ${where} order by number ${order} limit :limit::int + ${2 * AUDIT_BLOCK}) r
    ) counted where passed < :limit::int + ${2 * AUDIT_BLOCK})`;

/**
 * SQL: the entries in these rows. What stands outside of its row's block is none: nobody who looks for its number would
 * find it.
 */
const entriesIn = (rows: string): string =>
  `select coalesce(own.number, r.number) as number, r.action, r.actor, r.account_id, r.credential_id, r.address, r.user_agent,
          r.environment, coalesce(own.intent_id, r.intent_id) as intent_id, r.details, r.created_at
     from ${rows} r left join lateral unnest(r.numbers, r.intent_ids) as own (number, intent_id) on true
    where r.numbers is null or own.number between (r.number & -${AUDIT_BLOCK}::bigint) and r.number`;

/**
 * SQL: the entries before `:before`, newest first. One look into the primary key of the seals for each; a run that ends
 * before the entry has an empty text in its place.
 */
const newest = (where: string): string => `
  select e.number, e.action, e.actor, e.account_id as "accountId", e.credential_id as "credentialId", e.address,
         e.user_agent as "userAgent", e.environment, e.intent_id as "intentId", e.details, e.created_at as "createdAt",
         nullif(substring(s.hashes from (32 * (e.number - s.first) + 1)::int for 32), '') as hash
    from (
      select * from (${entriesIn(rowsOf(`${where} number <= (:before::bigint | ${AUDIT_BLOCK - 1})`, 'desc'))}) all_of
       where number < :before::bigint order by number desc limit :limit::int
    ) e left join lateral (
      select first, hashes from audit_seals where first between e.number - ${MAX_RUN - 1} and e.number order by first desc limit 1
    ) s on true
   order by e.number desc`;

/** Which entries a page shows; null for all. */
export interface AuditPage extends Page {
  action: AuditAction | null;
}

/** A page of what concerns an account, newest first. */
export function listOwn(db: Db, accountId: string, { action, ...page }: AuditPage): Promise<AuditRecord[]> {
  // The index without writes is found only for an action that stands in the statement.
  const filter = action === null ? '' : `and action = '${action}'`;
  return query<AuditRecord>(db, newest(`account_id = :accountId ${filter} and`), {
    accountId,
    ...pageBindings(page),
  });
}

/** A page of all entries, newest first. */
export function listAll(db: Db, page: Page): Promise<AuditRecord[]> {
  return query<AuditRecord>(db, newest(''), pageBindings(page));
}

/**
 * SHA-256 of what an entry says, number and time included: of the text of a JSON array, as PostgreSQL writes `jsonb`.
 * Whoever has a dump can compute it again.
 */
const DIGEST = `sha256(convert_to(jsonb_build_array(e.number,
    to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.actor, e.account_id, e.credential_id,
    e.address, e.user_agent, e.action, e.environment, e.intent_id, e.details)::text, 'UTF8'))`;

/** The end of the chain, for whoever seals; undefined while another process does. */
export async function lockHead(tx: Tx): Promise<Sealed | undefined> {
  const [head] = await query<Sealed>(tx, 'select number, hash from audit_head for update skip locked');
  return head;
}

/** The end of the chain. */
export async function findHead(db: Db): Promise<Sealed> {
  const [head] = await table(db, 'audit_head').select('number', 'hash');
  return head!;
}

export interface Unsealed extends Digested {
  /** Transactions of the database: the oldest that was open when this was read, and the next one. */
  oldestOpen: bigint;
  nextTransaction: bigint;
}

/** The first entries after a number; more than `limit` when the last number is there twice. */
export function readAfter(db: Db | Tx, number: bigint, limit: number): Promise<Unsealed[]> {
  return query<Unsealed>(
    db,
    // A subquery, which is asked once, and not for each entry.
    `select e.number, ${DIGEST} as digest,
            (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint) as "oldestOpen",
            (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as "nextTransaction"
       from (
         select * from (${entriesIn(rowsOf('number > :number::bigint', 'asc'))}) all_of
          where number > :number::bigint order by number fetch first (:limit::int) rows with ties
       ) e order by e.number`,
    { number: String(number), limit },
  );
}

/** The seals after a number, up to another one. */
export async function readSeals(db: Db, after: bigint, upTo: bigint): Promise<Sealed[]> {
  const runs = await query<Run>(
    db,
    `select first, hashes from audit_seals where first > :after::bigint - ${MAX_RUN} and first <= :upTo::bigint order by first`,
    { after: String(after), upTo: String(upTo) },
  );
  return runs.flatMap(sealsOf).filter(({ number }) => number > after && number <= upTo);
}

/** Whether an entry waits for its seal. */
export function isAnyUnsealed(db: Db): Promise<boolean> {
  return hasRows(db, 'select 1 from audit_entries where number > (select number from audit_head) limit 1');
}

/** Appends to the chain. The caller holds its end. */
export async function insertSeals(tx: Tx, seals: readonly Sealed[]): Promise<void> {
  const head = seals.at(-1);
  if (!head) return;
  const runs = toRuns(seals);
  await query(
    tx,
    `with sealed as (
       insert into audit_seals (first, hashes) select * from unnest(:firsts::bigint[], :hashes::bytea[])
     )
     update audit_head set number = :number, hash = :hash`,
    {
      firsts: runs.map(({ first }) => String(first)),
      hashes: runs.map(({ hashes }) => toBytes(hashes)),
      number: String(head.number),
      hash: toBytes(head.hash),
    },
  );
}
