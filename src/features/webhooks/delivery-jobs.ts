import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';

/** Name of the job that makes one attempt. */
export const DELIVER = 'deliver-webhook';
/** Flag of the jobs of accounts with a slow receiver. */
export const SLOW = 'slow';

/** SQL: whether the account of a row has a slow receiver. */
export const isSlow = (account: string): string => `coalesce(${account}.slow_webhooks_until > now(), false)`;

/**
 * SQL: the job of a delivery of an account's row; its key lets one at most wait. By its flags it is held back while too many
 * with the same are under way.
 */
export function jobOf(account: string, number: string, runAt: string): string {
  return `('${DELIVER}', json_build_object('delivery', ${number}::text), null, ${runAt}, null,
    'webhook ' || ${number}, null,
    array_remove(array[${account}.id::text, case when ${isSlow(account)} then '${SLOW}' end], null))::graphile_worker.job_spec`;
}

/** Lets a delivery be attempted now, in the place of what waits of it. A job of it that runs is not run again. */
export async function addJob(db: Db | Tx, number: bigint): Promise<void> {
  await query(
    db,
    `select count(*)
       from webhook_deliveries d join webhooks w on w.id = d.webhook_id join accounts a on a.id = w.account_id,
            graphile_worker.add_jobs(array[${jobOf('a', 'd.number', 'now()')}])
      where d.number = :number::bigint`,
    { number: String(number) },
  );
}

/** Notes that a receiver let an attempt wait, for so many minutes; not again before these are over. */
export async function markSlow(db: Db, accountId: string, minutes: number): Promise<void> {
  await query(
    db,
    `update accounts a set slow_webhooks_until = now() + :minutes * interval '1 minute'
      where a.id = :accountId and not ${isSlow('a')}`,
    { accountId, minutes },
  );
}
