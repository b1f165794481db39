import { AUDIT_BLOCK, recordAudit } from '../../db/audit.ts';
import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { table } from '../../db/table.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Sealed } from './chain.ts';
import { lockHead } from './store.ts';

/** Rows that one database transaction deletes at most. */
const MAX_ROWS = 5_000;
/** What is left then is left to the next pass. */
const MAX_PASS_MS = 30_000;

/**
 * Creates the clean-up of entries that are older than `days`, for no more than a closing a day while there is little to
 * do. The chain then begins after the last one of them, and an entry tells of that: its number, and its hash, which
 * `audit verify` compares with the beginning. Returns how many rows it deleted.
 * @param days null: entries are kept for ever
 */
export function createAuditClosing(db: Db, days: number | null): (signal: AbortSignal) => Promise<number> {
  return async (signal) => {
    const end = performance.now() + MAX_PASS_MS;
    let total = 0;
    while (days !== null && !signal.aborted && performance.now() < end) {
      const deleted = await db.transaction((tx) => closeOldest(tx, days));
      if (deleted === 0) break;
      total += deleted;
    }
    return total;
  };
}

async function closeOldest(tx: Tx, days: number): Promise<number> {
  // Nobody seals meanwhile, nor closes.
  const head = await lockHead(tx);
  const last = head && (await findLastToClose(tx, { days, upTo: head.number }));
  if (!last) return 0;
  const { number, hash } = last;
  const moved = await table(tx, 'audit_start')
    .where('number', '<', number)
    .update({ number, hash: toBytes(hash) });
  if (moved === 0) return 0;
  const deleted = await table(tx, 'audit_entries').where('number', '<=', number).delete();
  await table(tx, 'audit_seals')
    .where('first', '<=', number)
    .whereRaw('first + octet_length(hashes) / 32 - 1 <= :number', { number: String(number) })
    .delete();
  const details = { number: String(number), hash: hash.slice(2) };
  await recordAudit(tx, [
    { action: 'audit_closed', actor: 'operator', accountId: null, origin: null, details },
  ]);
  return deleted;
}

/**
 * The last seal of the oldest rows that are all too old. A row has the entries of one block of numbers alone, so the
 * end of a block is the end of each row in it.
 */
async function findLastToClose(
  tx: Tx,
  { days, upTo }: { days: number; upTo: bigint },
): Promise<Sealed | undefined> {
  const [last] = await query<Sealed>(
    tx,
    `with oldest as materialized (
       select number, created_at < now() - :days * interval '1 day' as is_old,
              created_at < now() - (:days + 1) * interval '1 day' as is_due
         from audit_entries order by number limit ${MAX_ROWS}
     ), bound as (
       select least(((coalesce(min(number) filter (where not is_old), max(number)) & -${AUDIT_BLOCK}::bigint) - 1), :upTo::bigint) as number
         from oldest having bool_or(is_due)
     ), run as (
       select s.first, s.hashes, least(b.number, s.first + octet_length(s.hashes) / 32 - 1) as number
         from bound b cross join lateral (
           select first, hashes from audit_seals where first <= b.number order by first desc limit 1) s
     )
     select number, substring(hashes from (32 * (number - first) + 1)::int for 32) as hash from run`,
    { days, upTo: String(upTo) },
  );
  return last;
}

/** Where the chain begins: the last entry that was closed and is gone; 0 with a hash of zeros when none was. */
export async function findStart(db: Db): Promise<Sealed> {
  const [start] = await table(db, 'audit_start').select('number', 'hash');
  return start!;
}

/** What does not fit where the chain begins, in sentences. */
export async function checkStart(db: Db, { number, hash }: Sealed): Promise<string[]> {
  if (number === 0n) return [];
  const [found] = await query<{ isTold: boolean; isAnyBefore: boolean }>(
    db,
    `select exists (select 1 from audit_entries
                     where action = 'audit_closed' and details = jsonb_build_object('number', :number::text, 'hash', :hash::text)) as "isTold",
            exists (select 1 from audit_entries where number <= :number::bigint) as "isAnyBefore"`,
    { number: String(number), hash: hash.slice(2) },
  );
  return [
    ...(found!.isTold
      ? []
      : [
          `The chain begins after entry ${number}, and no entry tells of that: what came before was removed.`,
        ]),
    ...(found!.isAnyBefore
      ? [`Entries up to ${number} were closed, and one of them is there: it was added later.`]
      : []),
  ];
}
