import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';

/** The ledger of one intent. */
export interface IntentLedger {
  number: bigint;
  /** An array of its entries as JSON that PostgreSQL has written: the numbers in it are exact. */
  entries: string;
  /** Whether each of its holds was committed or given back. */
  isClosed: boolean;
}

/** SQL: what an entry changes of the held part of its balance. */
const HELD = `case when kind in ('hold', 'retract', 'recharge') then amount when kind in ('commit', 'release') then -amount else 0 end`;
/** SQL: what an entry changes of the committed part of its balance. */
const COMMITTED = `case when kind in ('commit', 'charge') then amount when kind in ('retract', 'refund') then -amount else 0 end`;

/** The ledgers of these intents; of those without an entry nothing. */
export function readLedgers(tx: Tx, numbers: readonly bigint[]): Promise<IntentLedger[]> {
  return query<IntentLedger>(
    tx,
    `select intent_number as number, jsonb_agg(to_jsonb(l) order by id nulls first, created_at, kind <> 'hold')::text as entries,
            coalesce(sum(${HELD}) filter (where meter = 'gas'), 0) = 0
              and coalesce(sum(${HELD}) filter (where meter <> 'gas'), 0) = 0 as "isClosed"
       from ledger l where intent_number = any(:numbers::bigint[]) group by intent_number`,
    { numbers: numbers.map(String) },
  );
}

/**
 * Deletes the ledgers of these intents, whose rows are deleted next, and adds what they had committed to the closing of each
 * balance: with that and what is left of the ledger a balance is provable still.
 */
export async function closeLedgers(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  const bindings = { numbers: numbers.map(String) };
  await query(
    tx,
    `insert into ledger_closings as c (account_id, meter, period, committed, entries)
     select account_id, meter, period, sum(${COMMITTED}), count(*)
       from ledger where intent_number = any(:numbers::bigint[]) group by 1, 2, 3 order by 1, 2, 3
         on conflict (account_id, meter, period) do update
            set committed = c.committed + excluded.committed, entries = c.entries + excluded.entries`,
    bindings,
  );
  await query(tx, 'delete from ledger_entries where intent_number = any(:numbers::bigint[])', bindings);
}
