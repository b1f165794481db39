import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { LedgerMeter, Meter, Plan } from '../../lib/plans.ts';

/** SQL: the month that is running, in UTC, whatever the session's time zone. */
const MONTH = `date_trunc('month', now() at time zone 'utc')::date`;
/** SQL: likewise the day. */
export const DAY = `(now() at time zone 'utc')::date`;
/** SQL: its end. */
const DAY_END = `(${DAY} + 1)::timestamp at time zone 'utc'`;

/** One meter of one account. */
interface AccountMeter {
  accountId: string;
  meter: LedgerMeter;
}

/** Which balance. */
interface BalanceKey extends AccountMeter {
  /** First day of the month, of gas the day, UTC, as yyyy-mm-dd. */
  period: string;
}

/** The balance of one meter in the running period, by the database's clock. */
export interface Balance extends BalanceKey {
  plan: Plan;
  /** The most that may be held and spent of it; 0 for gas. */
  granted: bigint;
  /** Held by open intents and spent by final ones; both count as used. */
  used: bigint;
  /** Gas of a day that the operator gave this account; null for that of its plan. */
  gasPerDay: bigint | null;
  /** When the day ends, and in how many seconds. */
  dayEnd: Date;
  secondsLeft: number;
}

function meterBindings(meters: readonly AccountMeter[]): { accountIds: string[]; meters: LedgerMeter[] } {
  return {
    accountIds: meters.map(({ accountId }) => accountId),
    meters: meters.map(({ meter }) => meter),
  };
}

/** Opens the balances that are not there yet, with nothing granted. @param balances without a period: of the running one */
export async function openBalances(
  tx: Tx,
  balances: readonly (AccountMeter & { period?: string })[],
): Promise<void> {
  await query(
    tx,
    `insert into balances (account_id, meter, period)
     select distinct account_id, meter, coalesce(period, case meter when 'gas' then ${DAY} else ${MONTH} end) as opened
       from unnest(:accountIds::uuid[], :meters::text[], :periods::date[]) as m (account_id, meter, period)
      order by account_id, meter, opened on conflict do nothing`,
    { ...meterBindings(balances), periods: balances.map(({ period }) => period ?? null) },
  );
}

/** The balances of the running periods, locked, in a fixed order so that two transactions cannot wait for each other. */
export async function lockBalances(tx: Tx, meters: readonly AccountMeter[]): Promise<Balance[]> {
  return query<Balance>(
    tx,
    `select b.account_id as "accountId", b.meter, a.plan, b.period, b.granted, b.held + b.committed as used,
            a.gas_per_day as "gasPerDay", ${DAY_END} as "dayEnd",
            ceil(extract(epoch from ${DAY_END} - now()))::int as "secondsLeft"
       from unnest(:accountIds::uuid[], :meters::text[]) as m (account_id, meter)
       join balances b on b.account_id = m.account_id and b.meter = m.meter
                      and b.period = case m.meter when 'gas' then ${DAY} else ${MONTH} end
       join accounts a on a.id = b.account_id
      order by b.account_id, b.meter for no key update of b`,
    meterBindings(meters),
  );
}

/** How much is added to the parts of one balance, or taken away. */
export interface BalanceChange extends BalanceKey {
  granted: number;
  held: number;
  committed: number;
}

/** Changes balances, each once; their constraints refuse a negative one, and one above its grant. */
export async function changeBalances(tx: Tx, changes: readonly BalanceChange[]): Promise<void> {
  if (changes.length === 0) return;
  await query(
    tx,
    `with change as (
       select * from unnest(:accountIds::uuid[], :meters::text[], :periods::date[], :granted::bigint[], :held::bigint[], :committed::bigint[])
         as c (account_id, meter, period, granted, held, committed)
     ), locked as (
       select b.account_id, b.meter, b.period from balances b join change using (account_id, meter, period)
        order by b.account_id, b.meter, b.period for no key update of b
     )
     update balances b set granted = b.granted + c.granted, held = b.held + c.held, committed = b.committed + c.committed
       from change c join locked using (account_id, meter, period)
      where b.account_id = c.account_id and b.meter = c.meter and b.period = c.period`,
    {
      ...meterBindings(changes),
      periods: changes.map(({ period }) => period),
      granted: changes.map(({ granted }) => granted),
      held: changes.map(({ held }) => held),
      committed: changes.map(({ committed }) => committed),
    },
  );
}

/**
 * Notes what these intents have committed, whose rows are deleted next: with that and the ledger of those that stay a
 * balance is provable still.
 */
export async function noteArchived(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  await query(
    tx,
    `with gone as (
       select account_id, meter, period, sum(committed) as committed
         from ledger where intent_number = any(:numbers::bigint[]) group by 1, 2, 3 having sum(committed) > 0
     ), locked as (
       select b.account_id, b.meter, b.period from balances b join gone using (account_id, meter, period)
        order by b.account_id, b.meter, b.period for no key update of b
     )
     update balances b set archived = b.archived + g.committed
       from gone g join locked using (account_id, meter, period)
      where b.account_id = g.account_id and b.meter = g.meter and b.period = g.period`,
    { numbers: numbers.map(String) },
  );
}

/** The running month of one meter: what is used, and the bounds of the month. */
export async function readUsage(
  db: Db,
  accountId: string,
  meter: Meter,
): Promise<{ plan: Plan; used: number; periodStart: Date; periodEnd: Date } | undefined> {
  const [row] = await query<{ plan: Plan; used: bigint; start: Date; end: Date }>(
    db,
    `select a.plan, coalesce(b.held + b.committed, 0) as used,
            p.period::timestamp at time zone 'utc' as start,
            (p.period + interval '1 month')::timestamp at time zone 'utc' as end
       from (select ${MONTH} as period) p
       cross join accounts a
       left join balances b on b.account_id = a.id and b.meter = :meter and b.period = p.period
      where a.id = :accountId`,
    { meter, accountId },
  );
  return row && { plan: row.plan, used: Number(row.used), periodStart: row.start, periodEnd: row.end };
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
