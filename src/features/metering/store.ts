import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { PLAN_LIMITS } from '../../lib/plans.ts';
import type { LedgerMeter, Meter, Plan } from '../../lib/plans.ts';
import { DAY_END, MONTH, PERIOD } from './periods.ts';

/** One meter of one account. */
interface AccountMeter {
  accountId: string;
  meter: LedgerMeter;
}

/** The balance of one meter in the running month, of gas in the running day, by the database's clock. */
export interface Balance extends AccountMeter {
  plan: Plan;
  /** First day of the month, or the day, UTC, as yyyy-mm-dd. */
  period: string;
  /** What the best plan of this month allows, of the plans under which there was a claim; 0 for gas. */
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

/** Opens the period of the balances that have none yet. The grant is a ledger entry like everything else; gas has none. */
export async function openPeriods(tx: Tx, meters: readonly AccountMeter[]): Promise<void> {
  await query(
    tx,
    `with opened as (
       insert into balances (account_id, meter, period, granted)
       select a.id, m.meter, ${PERIOD}, case m.meter when 'gas' then 0 else (:limits::jsonb ->> a.plan)::bigint end
         from unnest(:accountIds::uuid[], :meters::text[]) as m (account_id, meter) join accounts a on a.id = m.account_id
       on conflict do nothing
       returning account_id, meter, period, granted
     )
     insert into ledger_entries (account_id, meter, period, kind, amount)
     select account_id, meter, period, 'grant', granted from opened where meter <> 'gas'`,
    { limits: JSON.stringify(PLAN_LIMITS), ...meterBindings(meters) },
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
       join balances b on b.account_id = m.account_id and b.meter = m.meter and b.period = ${PERIOD}
       join accounts a on a.id = b.account_id
      order by b.account_id, b.meter for no key update of b`,
    meterBindings(meters),
  );
}

/** Raises the grants of locked balances to what the accounts' plans allow: a better one came since the month began. */
export async function raiseGrants(tx: Tx, locked: readonly Balance[]): Promise<void> {
  const balances = locked.filter(
    ({ meter, plan, granted }) => meter !== 'gas' && granted < PLAN_LIMITS[plan],
  );
  if (balances.length === 0) return;
  await query(
    tx,
    `with raised as (
       update balances b set granted = r.allowed
         from (select b.account_id, b.meter, b.period, b.granted, (:limits::jsonb ->> a.plan)::bigint as allowed
                 from unnest(:accountIds::uuid[], :meters::text[], :periods::date[]) as m (account_id, meter, period)
                 join balances b using (account_id, meter, period) join accounts a on a.id = b.account_id) r
        where b.account_id = r.account_id and b.meter = r.meter and b.period = r.period and r.allowed > b.granted
       returning b.account_id, b.meter, b.period, b.granted - r.granted as amount
     )
     insert into ledger_entries (account_id, meter, period, kind, amount)
     select account_id, meter, period, 'grant', amount from raised`,
    {
      limits: JSON.stringify(PLAN_LIMITS),
      ...meterBindings(balances),
      periods: balances.map(({ period }) => period),
    },
  );
}

/** A change of one balance: positive or negative parts of `held` and `committed`. */
export interface BalanceChange extends AccountMeter {
  period: string;
  held: number;
  committed: number;
}

/**
 * Raises grants by what changes would exceed them: what has happened on the chain is charged, also past the end of a
 * quota.
 */
export async function raiseGrantsFor(tx: Tx, all: readonly BalanceChange[]): Promise<void> {
  const changes = all.filter(({ meter }) => meter !== 'gas');
  if (changes.length === 0) return;
  await query(
    tx,
    `with missing as (
       select b.account_id, b.meter, b.period, b.held + b.committed + c.change - b.granted as amount
         from unnest(:accountIds::uuid[], :meters::text[], :periods::date[], :changes::bigint[])
           as c (account_id, meter, period, change)
         join balances b using (account_id, meter, period)
        where b.held + b.committed + c.change > b.granted
        order by b.account_id, b.meter, b.period for no key update of b
     ), raised as (
       update balances b set granted = b.granted + m.amount from missing m
        where b.account_id = m.account_id and b.meter = m.meter and b.period = m.period
     )
     insert into ledger_entries (account_id, meter, period, kind, amount)
     select account_id, meter, period, 'grant', amount from missing`,
    {
      ...meterBindings(changes),
      periods: changes.map(({ period }) => period),
      changes: changes.map(({ held, committed }) => held + committed),
    },
  );
}

/** A row of the ledger's entries that belongs to an intent. */
export interface LedgerEntry extends AccountMeter {
  period: string;
  kind: 'hold' | 'commit' | 'release' | 'retract' | 'recharge' | 'charge' | 'refund';
  amount: number;
  intentNumber: bigint;
  /** How often the hold was opened, or the charge refunded, before; 0 but after a reorg that was deeper than final. */
  round: number;
  /** Of a hold: what the plan left once it was taken. Null for the end of one. */
  remaining: number | null;
  /** Left out for now. */
  createdAt?: Date;
}

/** Writes entries whose balances know of them. */
export async function insertEntries(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await query(
    tx,
    `insert into ledger_entries (account_id, meter, period, kind, amount, intent_number, round, remaining, created_at)
     select account_id, meter, period, kind, amount, intent_number, round, remaining, coalesce(created_at, now())
       from unnest(:accountIds::uuid[], :meters::text[], :periods::date[], :kinds::text[], :amounts::bigint[],
                   :intentNumbers::bigint[], :rounds::int[], :remaining::bigint[], :createdAt::timestamptz[])
              as e (account_id, meter, period, kind, amount, intent_number, round, remaining, created_at)`,
    {
      ...meterBindings(entries),
      periods: entries.map(({ period }) => period),
      kinds: entries.map(({ kind }) => kind),
      amounts: entries.map(({ amount }) => amount),
      intentNumbers: entries.map(({ intentNumber }) => String(intentNumber)),
      rounds: entries.map(({ round }) => round),
      remaining: entries.map(({ remaining }) => remaining),
      createdAt: entries.map(({ createdAt }) => createdAt ?? null),
    },
  );
}

/**
 * Writes entries, and what they and the rest of the caller's transaction change of the balances: the constraints of these
 * refuse a negative one, and one above its grant.
 */
export async function writeEntries(
  tx: Tx,
  entries: readonly LedgerEntry[],
  changes: readonly BalanceChange[],
): Promise<void> {
  await insertEntries(tx, entries);
  if (changes.length === 0) return;
  await query(
    tx,
    `with change as (
       select * from unnest(:accountIds::uuid[], :meters::text[], :periods::date[], :held::bigint[], :committed::bigint[])
         as c (account_id, meter, period, held, committed)
     ), locked as (
       select b.account_id, b.meter, b.period from balances b join change using (account_id, meter, period)
        order by b.account_id, b.meter, b.period for no key update of b
     )
     update balances b set held = b.held + c.held, committed = b.committed + c.committed
       from change c join locked using (account_id, meter, period)
      where b.account_id = c.account_id and b.meter = c.meter and b.period = c.period`,
    {
      ...meterBindings(changes),
      periods: changes.map(({ period }) => period),
      held: changes.map(({ held }) => held),
      committed: changes.map(({ committed }) => committed),
    },
  );
}

/** A hold as far as it can end or be opened again. */
export type Hold = Omit<LedgerEntry, 'kind' | 'remaining'>;

type HoldRow = Omit<Hold, 'amount'> & { amount: bigint };

/** The holds of these intents, each in its round: it grows when a hold that had ended is opened again. */
const HOLDS = `(
  select h.account_id as "accountId", h.meter, h.period, h.amount, h.intent_number as "intentNumber",
         (select coalesce(max(r.round), 0) from ledger_entries r
           where r.intent_number = h.intent_number and (r.meter = 'gas') = (h.meter = 'gas')
             and r.kind in ('retract', 'recharge')) as round
    from ledger_entries h
   where h.intent_number = any(:intentNumbers::bigint[]) and h.kind = 'hold') h`;

/** The entry that ended the round of a hold. */
const END = `ledger_entries v where v.intent_number = h."intentNumber" and (v.meter = 'gas') = (h.meter = 'gas')
                and v.round = h.round and v.kind in ('commit', 'release')`;

/** The holds that the ledger has of these intents, and that have neither been spent nor given back. */
export async function findOpenHolds(tx: Tx, numbers: readonly bigint[]): Promise<Hold[]> {
  if (numbers.length === 0) return [];
  const rows = await query<HoldRow>(tx, `select h.* from ${HOLDS} where not exists (select 1 from ${END})`, {
    intentNumbers: numbers.map(String),
  });
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}

/** The holds of these intents that have been spent or given back, and which of it. */
export async function findEndedHolds(
  tx: Tx,
  numbers: readonly bigint[],
): Promise<(Hold & { end: 'commit' | 'release' })[]> {
  const rows = await query<HoldRow & { end: 'commit' | 'release' }>(
    tx,
    `select h.*, e.kind as end from ${HOLDS} cross join lateral (select v.kind from ${END}) e`,
    { intentNumbers: numbers.map(String) },
  );
  return rows.map((row) => ({ ...row, amount: Number(row.amount) }));
}

/** What the holds of quotas took and left, by intent number; without those that had none. */
export async function findHolds(
  db: Db,
  numbers: readonly bigint[],
): Promise<Map<bigint, { amount: number; remaining: number }>> {
  const rows = await query<{ intent_number: bigint; amount: bigint; remaining: bigint }>(
    db,
    `select intent_number, amount, remaining from ledger
      where intent_number = any(:intentNumbers::bigint[]) and kind = 'hold' and meter <> 'gas'`,
    { intentNumbers: numbers.map(String) },
  );
  return new Map(
    rows.map((row) => [row.intent_number, { amount: Number(row.amount), remaining: Number(row.remaining) }]),
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
