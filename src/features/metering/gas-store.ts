import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Plan } from '../../lib/plans.ts';
import { DAY, DAY_END } from './periods.ts';
import type { LedgerEntry } from './store.ts';

/** Gas that an intent has used. */
export interface Charge {
  accountId: string;
  /** The day on which the intent was accepted, as yyyy-mm-dd. */
  period: string;
  amount: number;
  intentNumber: bigint;
}

/** Writes what intents used, each in the round after its last refund. The day of an account is opened where it is not. */
export async function insertCharges(tx: Tx, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  await query(
    tx,
    `with charge as (
       select * from unnest(:accountIds::uuid[], :periods::date[], :amounts::bigint[], :intentNumbers::bigint[])
         as c (account_id, period, amount, intent_number)
     ), opened as (
       insert into balances (account_id, meter, period, granted)
       select distinct account_id, 'gas', period, 0 from charge order by account_id, period
       on conflict do nothing
     )
     insert into ledger_entries (account_id, meter, period, kind, amount, intent_number, round)
     select account_id, 'gas', period, 'charge', amount, intent_number,
            (select count(*) from ledger_entries r where r.intent_number = c.intent_number and r.kind = 'refund')
       from charge c`,
    {
      accountIds: charges.map(({ accountId }) => accountId),
      periods: charges.map(({ period }) => period),
      amounts: charges.map(({ amount }) => amount),
      intentNumbers: charges.map(({ intentNumber }) => String(intentNumber)),
    },
  );
}

/** The charges of these intents that are not refunded, as the refunds that they would have. */
export async function findRefunds(tx: Tx, numbers: readonly bigint[]): Promise<LedgerEntry[]> {
  const rows = await query<Omit<LedgerEntry, 'amount'> & { amount: bigint }>(
    tx,
    `select c.account_id as "accountId", c.meter, c.period, 'refund' as kind, c.amount,
            c.intent_number as "intentNumber", c.round, null as remaining
       from ledger_entries c
      where c.intent_number = any(:intentNumbers::bigint[]) and c.kind = 'charge' and not exists (
        select 1 from ledger_entries r
         where r.intent_number = c.intent_number and r.kind = 'refund' and r.round = c.round)`,
    { intentNumbers: numbers.map(String) },
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}

/** The running day of gas: what is used and held, and what the operator gave this account beside its plan. */
export async function readGas(
  db: Db,
  accountId: string,
): Promise<
  | { plan: Plan; gasPerDay: number | null; used: number; held: number; periodStart: Date; periodEnd: Date }
  | undefined
> {
  const [row] = await query<{
    plan: Plan;
    gas_per_day: bigint | null;
    used: bigint;
    held: bigint;
    start: Date;
    end: Date;
  }>(
    db,
    `select a.plan, a.gas_per_day, coalesce(b.committed, 0) as used, coalesce(b.held, 0) as held,
            ${DAY}::timestamp at time zone 'utc' as start, ${DAY_END} as end
       from accounts a left join balances b on b.account_id = a.id and b.meter = 'gas' and b.period = ${DAY}
      where a.id = :accountId`,
    { accountId },
  );
  return (
    row && {
      plan: row.plan,
      gasPerDay: row.gas_per_day === null ? null : Number(row.gas_per_day),
      used: Number(row.used),
      held: Number(row.held),
      periodStart: row.start,
      periodEnd: row.end,
    }
  );
}
