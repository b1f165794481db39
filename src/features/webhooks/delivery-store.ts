import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { listOf, table } from '../../db/table.ts';
import type { Columns } from '../../db/table.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import { MAX_POSITION } from '../../lib/page.ts';
import type { Page } from '../../lib/page.ts';
import { isSlow } from './delivery-jobs.ts';
import type { WakeLines } from './delivery-jobs.ts';
import type { WebhookEvent } from './store.ts';

/** What a message is about; `webhook.test` is sent by the account itself. */
type DeliveredEvent = WebhookEvent | 'webhook.test';

/** One message to one webhook, as its log shows it. */
export interface Delivery {
  /** Its `webhook-id`. */
  id: string;
  /** Newer ones have larger ones. */
  number: bigint;
  event: DeliveredEvent;
  /** Null for an event that is none of an intent. */
  intentId: string | null;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** Of the last attempt; null when it got no answer, and before the first one. */
  responseStatus: number | null;
  error: string | null;
  nextAttemptAt: Date | null;
  attemptedAt: Date | null;
  createdAt: Date;
}

const DELIVERY_COLUMNS: Columns<'webhook_deliveries', Delivery> = {
  id: 'id',
  number: 'number',
  event: 'event',
  intentId: 'intent_id',
  status: 'status',
  attempts: 'attempts',
  responseStatus: 'response_status',
  error: 'error',
  nextAttemptAt: 'next_attempt_at',
  attemptedAt: 'attempted_at',
  createdAt: 'created_at',
};

/** Which messages a page shows; null for all. */
export interface DeliveryPage extends Page {
  status: Delivery['status'] | null;
}

/** A page of a webhook's messages, newest first. The caller has made sure whose webhook it is. */
export async function listDeliveries(
  db: Db,
  webhookId: string,
  { status, ...page }: DeliveryPage,
): Promise<Delivery[]> {
  const deliveries = table(db, 'webhook_deliveries').where({ webhook_id: webhookId });
  // The index of what failed is found only for a status that stands in the statement.
  if (status !== null) void deliveries.whereRaw(`status = '${status}'`);
  return deliveries
    .where('number', '<', page.before ?? MAX_POSITION)
    .orderBy('number', 'desc')
    .limit(page.limit)
    .select<Delivery>(DELIVERY_COLUMNS);
}

/** Something that happened to an account. */
export interface AccountEvent extends Owner {
  event: WebhookEvent;
  /** Null when it is none of an intent. */
  intentId: string | null;
  /** JSON, the body of the message. */
  payload: string;
}

/** SQL: until when a message is kept, by the environment of its webhook. */
const END = `now() + case when w.environment = 'sandbox' then interval '3 days' else interval '30 days' end`;

/**
 * Writes a message to each webhook that asked for it, all in one statement, and has them delivered after the commit.
 */
export async function insertDeliveries(
  tx: Tx,
  wake: WakeLines,
  events: readonly AccountEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = await query<{ accountId: string }>(
    tx,
    `with written as (
       insert into webhook_deliveries (id, webhook_id, account_id, event, intent_id, payload, next_attempt_at, expires_at)
       select gen_random_uuid(), w.id, w.account_id, e.event, e.intent_id, e.payload, now(), ${END}
         from unnest(:accountIds::uuid[], :environments::text[], :events::text[], :intentIds::uuid[], :payloads::text[])
              as e (account_id, environment, event, intent_id, payload)
         join webhooks w on w.account_id = e.account_id and w.environment = e.environment
                        and w.deleted_at is null and w.enabled and e.event = any(w.events)
       returning account_id
     )
     select distinct account_id as "accountId" from written`,
    {
      accountIds: events.map(({ accountId }) => accountId),
      environments: events.map(({ environment }) => environment),
      events: events.map(({ event }) => event),
      intentIds: events.map(({ intentId }) => intentId),
      payloads: events.map(({ payload }) => payload),
    },
  );
  wake(
    tx,
    rows.map(({ accountId }) => accountId),
  );
}

/** Writes a test event. */
export async function insertTestDelivery(
  tx: Tx,
  delivery: { id: string; webhookId: string; payload: string },
): Promise<Delivery> {
  const [row] = await query<Delivery>(
    tx,
    `insert into webhook_deliveries as d (id, webhook_id, account_id, event, payload, next_attempt_at, expires_at)
     select :id, w.id, w.account_id, 'webhook.test', :payload, now(), ${END} from webhooks w where w.id = :webhookId
     returning ${listOf(DELIVERY_COLUMNS)}`,
    delivery,
  );
  return row!;
}

/** Lets a delivery begin anew, at once, whatever became of it. */
export async function restartDelivery(tx: Tx, webhookId: string, id: string): Promise<Delivery | undefined> {
  const [row] = await table(tx, 'webhook_deliveries')
    .where({ id, webhook_id: webhookId })
    .update({
      status: 'pending',
      attempts: 0,
      next_attempt_at: tx.fn.now(),
      response_status: null,
      error: null,
    })
    .returning<Delivery>(DELIVERY_COLUMNS);
  return row;
}

/** All that an attempt needs. */
export interface PendingDelivery {
  number: bigint;
  id: string;
  payload: string;
  attempts: number;
  webhookId: string;
  accountId: string;
  /** Whether a receiver of its account let an attempt wait of late. */
  isSlow: boolean;
  url: string;
  enabled: boolean;
  /** Sealed. Null when the webhook is deleted. */
  secret: Hex | null;
  /** Sealed. Null when there is none, or its time is over. */
  previousSecret: Hex | null;
}

/** A delivery that nobody else attempts, and what stands behind it in the line of its account. */
export interface ClaimedDelivery extends PendingDelivery {
  isMoreDue: boolean;
  isMorePending: boolean;
}

/**
 * Claims what is due first of an account: it is due again after so many milliseconds, should this process not end the
 * attempt.
 * @param skipSlow takes nothing when the account has a slow receiver
 */
export async function claimDelivery(
  db: Db,
  accountId: string,
  { leaseMs, skipSlow }: { leaseMs: number; skipSlow: boolean },
): Promise<ClaimedDelivery | undefined> {
  const behind = (due: string): string =>
    `exists (select 1 from webhook_deliveries o
              where o.account_id = a.id and o.status = 'pending' and o.number <> d.number ${due})`;
  const [row] = await query<ClaimedDelivery>(
    db,
    `with head as (
       select h.number from webhook_deliveries h
        where h.account_id = :accountId and h.status = 'pending' and h.next_attempt_at <= now()
          and not (:skipSlow::boolean and exists (select 1 from accounts s where s.id = :accountId and ${isSlow('s')}))
        order by h.next_attempt_at, h.number limit 1 for update skip locked
     ), d as (
       update webhook_deliveries c set next_attempt_at = now() + :leaseMs * interval '1 millisecond'
         from head where c.number = head.number returning c.number, c.id, c.payload, c.attempts, c.webhook_id
     )
     select d.number, d.id, d.payload, d.attempts, w.id as "webhookId", a.id as "accountId", ${isSlow('a')} as "isSlow",
            w.url, w.enabled, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecret",
            ${behind('and o.next_attempt_at <= now()')} as "isMoreDue", ${behind('')} as "isMorePending"
       from d join webhooks w on w.id = d.webhook_id join accounts a on a.id = w.account_id`,
    { accountId, leaseMs, skipSlow },
  );
  return row;
}

/** Gives a claimed delivery back, whose attempt did not come to an end. */
export async function giveBack(db: Db, number: bigint): Promise<void> {
  await table(db, 'webhook_deliveries')
    .where({ number, status: 'pending' })
    .update({ next_attempt_at: db.fn.now() });
}

/**
 * Gives up the oldest of what waits of an account, but for so many. What is claimed is kept: its attempt may be at the
 * receiver, and what comes of it is to be recorded.
 */
export async function giveUpOldest(
  db: Db,
  accountId: string,
  { most, leaseMs }: { most: number; leaseMs: number },
): Promise<void> {
  await query(
    db,
    `update webhook_deliveries set status = 'failed', error = :error, next_attempt_at = null
      where status = 'pending' and number = any(array(
        select number from webhook_deliveries where account_id = :accountId and status = 'pending'
         order by next_attempt_at between now() and now() + :leaseMs * interval '1 millisecond' desc, number desc offset :most))`,
    {
      accountId,
      most,
      leaseMs,
      error: `More than ${most} messages of this account waited; this one was among the oldest`,
    },
  );
}

/** A success: the webhook works. */
export async function noteDelivered(db: Db, number: bigint, status: number): Promise<void> {
  await query(
    db,
    `with delivered as (
       update webhook_deliveries
          set status = 'delivered', attempts = attempts + 1, response_status = :status, error = null,
              next_attempt_at = null, attempted_at = now()
        where number = :number and status = 'pending' returning webhook_id
     )
     update webhooks w set failing_since = null
       from delivered d where w.id = d.webhook_id and w.failing_since is not null`,
    { status, number: String(number) },
  );
}

interface FailedAttempt {
  delivery: PendingDelivery;
  responseStatus: number | null;
  error: string;
  /** Seconds until the next attempt; null when there is none. */
  retrySeconds: number | null;
  /** The receiver says that it is gone for good. */
  isGone: boolean;
  /** Days of nothing but failures after which a webhook is disabled. */
  retryDays: number;
}

/** A failure: the delivery waits for its next attempt, or is given up; and perhaps the whole webhook. */
export async function noteFailed(db: Db, failed: FailedAttempt): Promise<void> {
  const { delivery, responseStatus, error, retrySeconds, isGone, retryDays } = failed;
  await query(
    db,
    `with failed as (
       update webhook_deliveries
          set status = case when :retry::float8 is null then 'failed' else 'pending' end,
              attempts = attempts + 1, response_status = :responseStatus::smallint, error = :error,
              next_attempt_at = now() + :retry::float8 * interval '1 second', attempted_at = now()
        where number = :number::bigint and status = 'pending'
     )
     update webhooks w
          set failing_since = coalesce(w.failing_since, now()),
              enabled = v.reason is null, disabled_reason = v.reason,
              updated_at = case when v.reason is null then w.updated_at else now() end
         from (select case when :isGone::boolean then 'GONE'
                           when o.failing_since < now() - :retryDays * interval '1 day' then 'FAILING' end as reason
                 from webhooks o where o.id = :webhookId) v
        where w.id = :webhookId and w.enabled and (w.failing_since is null or v.reason is not null)`,
    {
      number: String(delivery.number),
      webhookId: delivery.webhookId,
      retry: retrySeconds,
      responseStatus,
      error,
      isGone,
      retryDays,
    },
  );
}

/** A delivery that is not tried: its webhook is disabled. */
export async function giveUp(db: Db, number: bigint, error: string): Promise<void> {
  await table(db, 'webhook_deliveries')
    .where({ number, status: 'pending' })
    .update({ status: 'failed', error, next_attempt_at: null });
}

/** Deletes up to `limit` deliveries that are old enough. Returns how many there were. */
export async function deleteOldDeliveries(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from webhook_deliveries where number = any(array(
       select number from webhook_deliveries where expires_at < now()
        order by expires_at limit :limit for update skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}
