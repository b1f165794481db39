import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { LedgerMeter, Plan } from '../../lib/plans.ts';

/** SQL: the month that is running, in UTC, whatever the session's time zone. */
const MONTH = `date_trunc('month', now() at time zone 'utc')::date`;
/** SQL: likewise the day. */
export const DAY = `(now() at time zone 'utc')::date`;
/** SQL: its end. */
const DAY_END = `(${DAY} + 1)::timestamp at time zone 'utc'`;
/** SQL: the running period of a meter. */
const periodOf = (meter: string): string => `case ${meter} when 'gas' then ${DAY} else ${MONTH} end`;

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

/**
 * Opens the balances that are not there yet, with nothing granted. @param balances without a period: of the running one
 */
export async function openBalances(
  tx: Tx,
  balances: readonly (AccountMeter & { period?: string })[],
): Promise<void> {
  await query(
    tx,
    `insert into balances (account_id, meter, period)
     select distinct account_id, meter, coalesce(period, ${periodOf('meter')}) as opened
       from unnest(:accountIds::uuid[], :meters::text[], :periods::date[]) as m (account_id, meter, period)
      order by account_id, meter, opened on conflict do nothing`,
    { ...meterBindings(balances), periods: balances.map(({ period }) => period ?? null) },
  );
}

/**
 * The balances of the running periods, locked, in a fixed order so that two transactions cannot wait for each other.
 */
export async function lockBalances(tx: Tx, meters: readonly AccountMeter[]): Promise<Balance[]> {
  return query<Balance>(
    tx,
    `select b.account_id as "accountId", b.meter, a.plan, b.period, b.granted, b.held + b.committed as used,
            a.gas_per_day as "gasPerDay", ${DAY_END} as "dayEnd",
            ceil(extract(epoch from ${DAY_END} - now()))::int as "secondsLeft"
       from unnest(:accountIds::uuid[], :meters::text[]) as m (account_id, meter)
       join balances b on b.account_id = m.account_id and b.meter = m.meter and b.period = ${periodOf('m.meter')}
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

/** What is held and spent of a meter in its running period, also while there is no balance yet. */
export interface Running {
  plan: Plan;
  /** Gas of a day that the operator gave this account; null for that of its plan. */
  gasPerDay: number | null;
  held: number;
  committed: number;
  periodStart: Date;
  periodEnd: Date;
}

/** Undefined when there is no such account. */
export async function readRunning(
  db: Db,
  accountId: string,
  meter: LedgerMeter,
): Promise<Running | undefined> {
  const [row] = await query<
    Omit<Running, 'gasPerDay' | 'held' | 'committed'> &
      Record<'gasPerDay' | 'held' | 'committed', bigint | null>
  >(
    db,
    `select a.plan, a.gas_per_day as "gasPerDay", coalesce(b.held, 0) as held, coalesce(b.committed, 0) as committed,
            p.period::timestamp at time zone 'utc' as "periodStart", p.next::timestamp at time zone 'utc' as "periodEnd"
       from (select ${periodOf('m.meter')} as period, case m.meter when 'gas' then ${DAY} + 1 else ${MONTH} + interval '1 month' end as next
               from (select :meter::text as meter) m) p
       cross join accounts a
       left join balances b on b.account_id = a.id and b.meter = :meter and b.period = p.period
      where a.id = :accountId`,
    { meter, accountId },
  );
  return (
    row && {
      ...row,
      gasPerDay: row.gasPerDay === null ? null : Number(row.gasPerDay),
      held: Number(row.held),
      committed: Number(row.committed),
    }
  );
}
