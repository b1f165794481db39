import { afterCommit } from '../../db/after-commit.ts';
import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { changeAccount } from '../../db/change-account.ts';

/**
 * Name of the job for the head of an account's line: it delivers what is due of it, one message after the other, for a
 * moment.
 */
export const DELIVER = 'deliver-webhook';
/** Flag of the jobs of accounts with a slow receiver. */
export const SLOW = 'slow';

/** SQL: whether the account of a row has a slow receiver. */
export const isSlow = (account: string): string => `coalesce(${account}.slow_webhooks_until > now(), false)`;

/** Lets the lines of these accounts be looked at now, once the transaction is committed. */
export type WakeLines = (tx: Tx, accountIds: Iterable<string>) => void;

/**
 * Jobs are added after the commit, and one account at a time: no verdict waits for a worker's lock. When a process dies
 * in between, `wakeDueLines` finds the line within a minute.
 */
export const createWakeLines =
  (db: Db): WakeLines =>
  (tx, accountIds) => {
    const accounts = new Set(accountIds);
    if (accounts.size === 0) return;
    afterCommit(tx, () => {
      void (async () => {
        for (const accountId of accounts) await addJob(db, accountId);
      })().catch(() => undefined);
    });
  };

/**
 * Lets the head of an account's line be delivered, now or at another time. Of either kind one job at most waits; one
 * that runs is not run again. By its flags it is held back while too many with the same are under way.
 */
export async function addJob(db: Db | Tx, accountId: string, later: Date | null = null): Promise<void> {
  await query(
    db,
    `select count(*)
       from accounts a,
            graphile_worker.add_jobs(array[
              ('${DELIVER}', json_build_object('account', a.id), null, coalesce(:later::timestamptz, now()), null,
               case when :later::timestamptz is null then 'webhooks ' else 'webhooks later ' end || a.id, null,
               array_remove(array[a.id::text, case when ${isSlow('a')} then '${SLOW}' end], null))::graphile_worker.job_spec])
      where a.id = :accountId`,
    { accountId, later },
  );
}

/** Adds the next job of a line, for the time at which the first of its messages is due. */
export async function addNextJob(db: Db, accountId: string): Promise<void> {
  await changeAccount(db, accountId, async (tx) => {
    // Of two at a time the second one sees what the first one saw, and more: the time is never moved behind a message.
    const [row] = await query<{ at: Date; isDue: boolean }>(
      tx,
      `select next_attempt_at as at, next_attempt_at <= now() as "isDue" from webhook_deliveries
        where account_id = :accountId and status = 'pending' order by next_attempt_at limit 1`,
      { accountId },
    );
    if (row) await addJob(tx, accountId, row.isDue ? null : row.at);
  });
}

/** Wakes the lines in which a message is due: a process may have died before it did, or in the middle of an attempt. */
export async function wakeDueLines(db: Db): Promise<void> {
  const rows = await query<{ accountId: string }>(
    db,
    // One look into the index for each account with messages that wait.
    `with recursive lines (account_id, due_at) as (
       (select account_id, next_attempt_at from webhook_deliveries
         where status = 'pending' order by account_id, next_attempt_at limit 1)
       union all
       select next.account_id, next.next_attempt_at
         from lines l cross join lateral (
           select d.account_id, d.next_attempt_at from webhook_deliveries d
            where d.status = 'pending' and d.account_id > l.account_id order by d.account_id, d.next_attempt_at limit 1) next
     )
     select account_id as "accountId" from lines where due_at <= now()`,
  );
  for (const { accountId } of rows) await addJob(db, accountId);
}

/** Notes that a receiver let an attempt wait, for so many minutes; not again before these are over. */
export async function noteSlow(db: Db, accountId: string, minutes: number): Promise<void> {
  await query(
    db,
    `update accounts a set slow_webhooks_until = now() + :minutes * interval '1 minute'
      where a.id = :accountId and not ${isSlow('a')}`,
    { accountId, minutes },
  );
}
