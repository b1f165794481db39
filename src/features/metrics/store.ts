import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { isLeased } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';
import { JOB_SCHEMA } from '../../db/jobs.ts';

// Each of these reads open rows by a partial index, so that its cost does not grow with history.

/** Intents without a verdict, by status; age of the oldest in seconds. */
export function countOpen(
  db: Db,
): Promise<{ status: 'queued' | 'submitted' | 'quarantined'; count: number; age: number }[]> {
  return query(
    db,
    `select status, count(*)::int as count, extract(epoch from now() - min(created_at))::float8 as age
       from intents where phase = 'open' group by status
     union all
     select 'quarantined', count(*)::int, extract(epoch from now() - min(created_at))::float8
       from intents where phase = 'quarantined' having count(*) > 0`,
  );
}

interface LaneFigures {
  signer: Hex;
  nextNonce: bigint;
  isHeld: boolean;
  funded: boolean;
  retiring: boolean;
  /** Open transactions, and mined ones that are not final yet. */
  open: number;
  mined: number;
  /** It takes new calls. */
  isSender: boolean;
}

export function countLanes(db: Db): Promise<LaneFigures[]> {
  return query<LaneFigures>(
    db,
    `with transactions as (
       select signer, count(*) filter (where status = 'open')::int as open,
              count(*) filter (where status = 'mined')::int as mined
         from transactions where status in ('open', 'mined') group by signer
     )
     select l.signer, l.next_nonce as "nextNonce", ${isLeased('l')} as "isHeld", l.funded, l.retiring, l.is_sender as "isSender",
            coalesce(t.open, 0) as open, coalesce(t.mined, 0) as mined
       from lanes l left join transactions t using (signer)`,
  );
}

/** What is held of each meter for intents that are under way, or whose success is not deep enough yet. */
export function countHolds(db: Db): Promise<{ meter: string; holds: number; amount: number }[]> {
  return query(
    db,
    `with open as (
       select held_meter, held_amount, held_gas from intents where phase = 'open'
       union all
       select held_meter, held_amount, held_gas from intents where phase = 'quarantined'
       union all
       select held_meter, held_amount, held_gas from intents where phase = 'confirmed' and final_at is null
     )
     select h.meter, count(*)::int as holds, sum(h.amount)::float8 as amount
       from open cross join lateral (values (held_meter, held_amount), ('gas', held_gas)) h (meter, amount)
      where h.amount is not null group by h.meter`,
  );
}

/**
 * What of the gas of this day (UTC) is used or held: of all accounts, and of the one that has most. Has an index of its
 * own.
 */
export async function readGasOfDay(db: Db): Promise<{ total: number; most: number }> {
  const [row] = await query<{ total: number; most: number }>(
    db,
    `select coalesce(sum(held + committed), 0)::float8 as total, coalesce(max(held + committed), 0)::float8 as most
       from balances where meter = 'gas' and period = (now() at time zone 'utc')::date`,
  );
  return row!;
}

/** Reorgs that took final blocks away, and that are resolved. */
export async function countDeepReorgs(db: Db): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    'select count(*)::int as count from deep_reorgs where resolved_at is not null',
  );
  return row!.count;
}

/**
 * Background jobs by task: those whose time has come, the age of the oldest of these in seconds, and those given up. Of
 * the messages to webhooks the head of a line alone has a job: each message counts.
 */
export function countJobs(db: Db): Promise<{ task: string; due: number; age: number; dead: number }[]> {
  return query(
    db,
    // A job that is done is deleted: the table holds what is left to do.
    `select task, count(*) filter (where run_at <= now() and not is_dead)::int as due,
            coalesce(extract(epoch from now() - min(run_at) filter (where not is_dead)), 0)::float8 as age,
            count(*) filter (where is_dead)::int as dead
       from (select task_identifier, run_at, attempts >= max_attempts from ${JOB_SCHEMA}.jobs
              where task_identifier <> 'deliver-webhook'
             union all
             select 'deliver-webhook', d.next_attempt_at, false from webhook_deliveries d where d.status = 'pending')
            as left_to_do (task, run_at, is_dead)
      group by task`,
  );
}

/**
 * Messages to webhooks that wait for their first or next attempt; age of the oldest in seconds, 0 when there is none.
 */
export async function countWaiting(db: Db): Promise<{ count: number; age: number }> {
  const [row] = await query<{ count: number; age: number }>(
    db,
    `select count(*)::int as count, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
       from webhook_deliveries where status = 'pending'`,
  );
  return row!;
}

/** What the audit log tells of the last ten minutes, beside writes. Counted through an index of its own. */
export function countAudited(db: Db): Promise<{ action: string; count: number }[]> {
  return query(
    db,
    `select action, count(*)::int as count from audit_entries
      where intent_id is null and created_at > now() - interval '10 minutes' group by action`,
  );
}

/** Age in seconds of the oldest entry of the audit log that waits for its seal; 0 when none does. */
export async function ageOfUnsealed(db: Db): Promise<number> {
  const [row] = await query<{ age: number }>(
    db,
    `select extract(epoch from now() - created_at)::float8 as age from audit_entries
      where number > (select number from audit_head) order by number limit 1`,
  );
  return Math.max(0, row?.age ?? 0);
}
