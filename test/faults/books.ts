import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/*
 * What the service's own books say: the only place where the judge knows tables and columns.
 */

export interface BookedIntent {
  number: bigint;
  id: string;
  status: string;
  /** Whether it has something to send; a control already in its target state has not. */
  sent: boolean;
  final: boolean;
}

export const readIntents = (db: Db): Promise<BookedIntent[]> =>
  query<BookedIntent>(
    db,
    `select number, id, status, target is not null as sent, final_at is not null as final from intents`,
  );

/** Waits until every intent is final. Returns how many are not when the time is over. */
export async function waitForQuiet(db: Db, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [row] = await query<{ open: number }>(
      db,
      `select count(*)::int as open from intents
        where final_at is null and (status <> 'confirmed' or target is not null)`,
    );
    if (row!.open === 0 || performance.now() > deadline) return row!.open;
    await sleep(200);
  }
}

/** Counts balances that differ from their ledger rows, and holds that differ from the verdict of their intent. */
export async function countLedgerErrors(db: Db): Promise<number> {
  const [row] = await query<{ errors: number }>(
    db,
    `with sums as (
       select account_id, meter, period,
              coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
              coalesce(sum(amount) filter (where kind = 'hold'), 0)
                - coalesce(sum(amount) filter (where kind in ('commit', 'release')), 0) as held,
              coalesce(sum(amount) filter (where kind = 'commit'), 0) as committed
         from ledger_entries group by 1, 2, 3
     ), wrong_balances as (
       select 1 from balances b left join sums s using (account_id, meter, period)
        where b.held <> coalesce(s.held, 0) or b.committed <> coalesce(s.committed, 0) or b.granted <> s.granted
     ), wrong_holds as (
       select 1 from intents i join ledger_entries h on h.intent_number = i.number and h.kind = 'hold'
         left join ledger_entries v on v.intent_number = i.number and v.kind in ('commit', 'release')
        where (i.final_at is not null and v.kind is distinct from
                 case when i.status = 'confirmed' then 'commit' else 'release' end)
           or (i.final_at is null and v.kind is not null)
     )
     select (select count(*) from wrong_balances)::int + (select count(*) from wrong_holds)::int as errors`,
  );
  return row!.errors;
}
