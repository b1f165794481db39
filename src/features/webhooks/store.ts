import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Environment } from '../../engine/index.ts';

/** Whose webhooks a caller sees: the two environments of an account never mix. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/** What a webhook may ask to be told of. */
export type IntentEvent = 'intent.confirmed' | 'intent.failed' | 'intent.retracted';

/** Why the service disabled a webhook: it answered 410, or nothing but failures for days. */
export type DisabledReason = 'GONE' | 'FAILING';

/** A webhook as it may be shown. */
export interface Webhook {
  id: string;
  /** Newer ones have larger ones. */
  number: bigint;
  environment: Environment;
  url: string;
  events: IntentEvent[];
  enabled: boolean;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

const WEBHOOK_COLUMNS = `w.id, w.number, w.environment, w.url, w.events, w.enabled,
  w.disabled_reason as "disabledReason", w.created_at as "createdAt", w.updated_at as "updatedAt"`;

/** Whose it is, unless it is deleted. */
const OWN = 'w.account_id = :accountId and w.environment = :environment and w.deleted_at is null';

/** Those after `before`, newest first. */
export interface Page {
  before: bigint | null;
  limit: number;
}

const beforeOf = ({ before }: Page): string => String(before ?? 9_223_372_036_854_775_807n);

/** A page of an account's webhooks, newest first. */
export const listWebhooks = (db: Db, owner: Owner, page: Page): Promise<Webhook[]> =>
  query<Webhook>(
    db,
    `select ${WEBHOOK_COLUMNS} from webhooks w
      where ${OWN} and w.number < cast(:before as bigint) order by w.number desc limit :limit`,
    { ...owner, before: beforeOf(page), limit: page.limit },
  );

/** The webhook of this id if the caller owns it. */
export async function findWebhook(db: Db | Tx, owner: Owner, id: string): Promise<Webhook | undefined> {
  const [row] = await query<Webhook>(
    db,
    `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = :id and ${OWN}`,
    { ...owner, id },
  );
  return row;
}

/** Holds the account's row until the end of the transaction: one change of its webhooks at a time. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await query(tx, 'select 1 from accounts where id = ? for no key update', [accountId]);
}

/** How many webhooks the caller has. */
export async function countWebhooks(tx: Tx, owner: Owner): Promise<number> {
  const [row] = await query<{ n: number }>(
    tx,
    `select count(*)::int as n from webhooks w where ${OWN}`,
    owner as unknown as Record<string, unknown>,
  );
  return row!.n;
}

export interface NewWebhook extends Owner {
  id: string;
  url: string;
  events: readonly IntentEvent[];
  /** Sealed. */
  secret: Buffer;
}

/** Writes a webhook. From here on verdicts of the account are told. The caller holds the account's row. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<Webhook> {
  const [row] = await query<Webhook>(
    tx,
    `insert into webhooks as w (id, account_id, environment, url, events, secret)
     values (:id, :accountId, :environment, :url, cast(:events as text[]), :secret) returning ${WEBHOOK_COLUMNS}`,
    { ...webhook },
  );
  await followWebhooks(tx, webhook.accountId);
  return row!;
}

/** Lets verdicts of an account cost nothing as soon as it has no webhook any more. */
const followWebhooks = (tx: Tx, accountId: string): Promise<unknown> =>
  query(
    tx,
    `update accounts a set is_watched = watched
       from (select exists (select 1 from webhooks where account_id = :accountId and deleted_at is null) as watched) w
      where a.id = :accountId and a.is_watched <> watched`,
    { accountId },
  );

/** What a change asks for; undefined leaves a part as it is. */
export interface WebhookChange {
  url?: string;
  events?: readonly IntentEvent[];
  enabled?: boolean;
}

/** Changes a webhook. Enabled again it starts afresh: what it failed before no longer counts. */
export async function updateWebhook(
  tx: Tx,
  owner: Owner,
  id: string,
  { url, events, enabled }: WebhookChange,
): Promise<Webhook | undefined> {
  const [row] = await query<Webhook>(
    tx,
    `update webhooks w
        set url = coalesce(cast(:url as text), w.url), events = coalesce(cast(:events as text[]), w.events),
            enabled = coalesce(cast(:enabled as boolean), w.enabled),
            disabled_reason = case when cast(:enabled as boolean) is null then w.disabled_reason end,
            failing_since = case when cast(:enabled as boolean) is null then w.failing_since end,
            updated_at = now()
      where w.id = :id and ${OWN} returning ${WEBHOOK_COLUMNS}`,
    { ...owner, id, url: url ?? null, events: events ?? null, enabled: enabled ?? null },
  );
  return row;
}

/** Forgets a webhook and its secrets; its deliveries go when they are old. Returns whether there was one. */
export async function deleteWebhook(tx: Tx, owner: Owner, id: string): Promise<boolean> {
  const rows = await query(
    tx,
    `update webhooks w
        set deleted_at = now(), enabled = false, disabled_reason = null,
            secret = null, previous_secret = null, previous_secret_until = null
      where w.id = :id and ${OWN} returning 1`,
    { ...owner, id },
  );
  if (rows.length > 0) await followWebhooks(tx, owner.accountId);
  return rows.length > 0;
}

/** Puts a new sealed secret in the place of the old one, which signs too for so many hours. Returns until when. */
export async function replaceSecret(
  tx: Tx,
  owner: Owner,
  id: string,
  secret: Buffer,
  hours: number,
): Promise<Date | undefined> {
  const [row] = await query<{ until: Date }>(
    tx,
    `update webhooks w
        set previous_secret = w.secret, previous_secret_until = now() + :hours * interval '1 hour',
            secret = :secret, updated_at = now()
      where w.id = :id and ${OWN} returning w.previous_secret_until as until`,
    { ...owner, id, secret, hours },
  );
  return row?.until;
}

/** What a webhook is told; `webhook.test` only by its account itself. */
export type DeliveredEvent = IntentEvent | 'webhook.test';

/** One message to one webhook, as its log shows it. */
export interface Delivery {
  /** Its `webhook-id`. */
  id: string;
  /** Newer ones have larger ones. */
  number: bigint;
  event: DeliveredEvent;
  /** Null for a test event. */
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

const DELIVERY_COLUMNS = `d.id, d.number, d.event, d.intent_id as "intentId", d.status, d.attempts,
  d.response_status as "responseStatus", d.error, d.next_attempt_at as "nextAttemptAt",
  d.attempted_at as "attemptedAt", d.created_at as "createdAt"`;

/** A page of what a webhook was told, newest first. The caller has made sure whose webhook it is. */
export const listDeliveries = (db: Db, webhookId: string, page: Page): Promise<Delivery[]> =>
  query<Delivery>(
    db,
    `select ${DELIVERY_COLUMNS} from webhook_deliveries d
      where d.webhook_id = :webhookId and d.number < cast(:before as bigint)
      order by d.number desc limit :limit`,
    { webhookId, before: beforeOf(page), limit: page.limit },
  );

/** Name of the job that makes one attempt. */
export const DELIVER = 'deliver-webhook';

/** The job of a delivery \`d\` of an account: one at most that waits. Its flag is what one account is held back by. */
const jobOf = (number: string, accountId: string, runAt: string): string =>
  `('${DELIVER}', json_build_object('delivery', ${number}::text), null, ${runAt}, null,
    'webhook ' || ${number}, null, array[${accountId}::text])::graphile_worker.job_spec`;

/** Something that happened to an account. */
export interface AccountEvent extends Owner {
  event: IntentEvent;
  intentId: string;
  /** JSON, the body of the message. */
  payload: string;
}

/** Writes a message to each webhook that asked for it, and the jobs that deliver them: all in one statement. */
export async function insertDeliveries(tx: Tx, events: readonly AccountEvent[]): Promise<void> {
  if (events.length === 0) return;
  await query(
    tx,
    `with written as (
       insert into webhook_deliveries (id, webhook_id, event, intent_id, payload, next_attempt_at)
       select gen_random_uuid(), w.id, e.event, e.intent_id, e.payload, now()
         from unnest(?::uuid[], ?::text[], ?::text[], ?::uuid[], ?::text[])
              as e (account_id, environment, event, intent_id, payload)
         join webhooks w on w.account_id = e.account_id and w.environment = e.environment
                        and w.deleted_at is null and w.enabled and e.event = any(w.events)
       returning number, webhook_id
     ), jobs as (
       select array_agg(${jobOf('d.number', 'w.account_id', 'now()')}) as specs
         from written d join webhooks w on w.id = d.webhook_id
       having count(*) > 0
     )
     select count(*) from jobs, graphile_worker.add_jobs(jobs.specs)`,
    [
      events.map(({ accountId }) => accountId),
      events.map(({ environment }) => environment),
      events.map(({ event }) => event),
      events.map(({ intentId }) => intentId),
      events.map(({ payload }) => payload),
    ],
  );
}

/** Writes a test event and its job. */
export async function insertTestDelivery(
  tx: Tx,
  accountId: string,
  delivery: { id: string; webhookId: string; payload: string },
): Promise<Delivery> {
  const [row] = await query<Delivery>(
    tx,
    `insert into webhook_deliveries as d (id, webhook_id, event, payload, next_attempt_at)
     values (:id, :webhookId, 'webhook.test', :payload, now()) returning ${DELIVERY_COLUMNS}`,
    delivery,
  );
  await addJob(tx, accountId, row!.number);
  return row!;
}

/** Lets a delivery begin anew, at once, whatever became of it. */
export async function restartDelivery(
  tx: Tx,
  accountId: string,
  webhookId: string,
  id: string,
): Promise<Delivery | undefined> {
  const [row] = await query<Delivery>(
    tx,
    `update webhook_deliveries d
        set status = 'pending', attempts = 0, next_attempt_at = now(), response_status = null, error = null
      where d.id = ? and d.webhook_id = ? returning ${DELIVERY_COLUMNS}`,
    [id, webhookId],
  );
  if (row) await addJob(tx, accountId, row.number);
  return row;
}

const addJob = (tx: Tx, accountId: string, delivery: bigint): Promise<unknown> =>
  query(
    tx,
    `select count(*) from graphile_worker.add_jobs(array[${jobOf('cast(:delivery as bigint)', 'cast(:accountId as uuid)', 'now()')}])`,
    { delivery: String(delivery), accountId },
  );

/** All that an attempt needs. */
export interface PendingDelivery {
  number: bigint;
  id: string;
  payload: string;
  attempts: number;
  webhookId: string;
  accountId: string;
  url: string;
  enabled: boolean;
  /** Sealed. Null when the webhook is deleted. */
  secret: Buffer | null;
  /** Sealed. Null when there is none, or its time is over. */
  previousSecret: Buffer | null;
}

/** The delivery of this number while it is pending. */
export async function findPending(db: Db, number: string): Promise<PendingDelivery | undefined> {
  const [row] = await query<PendingDelivery>(
    db,
    `select d.number, d.id, d.payload, d.attempts, w.id as "webhookId", w.account_id as "accountId", w.url,
            w.enabled, w.secret, case when w.previous_secret_until > now() then w.previous_secret end as "previousSecret"
       from webhook_deliveries d join webhooks w on w.id = d.webhook_id
      where d.number = ?::bigint and d.status = 'pending'`,
    [number],
  );
  return row;
}

/** A success: the webhook works. */
export async function markDelivered(db: Db, number: bigint, status: number): Promise<void> {
  await query(
    db,
    `with delivered as (
       update webhook_deliveries
          set status = 'delivered', attempts = attempts + 1, response_status = ?, error = null,
              next_attempt_at = null, attempted_at = now()
        where number = ? and status = 'pending' returning webhook_id
     )
     update webhooks w set failing_since = null
       from delivered d where w.id = d.webhook_id and w.failing_since is not null`,
    [status, String(number)],
  );
}

export interface FailedAttempt {
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

/** A failure: the next attempt gets its job, or the delivery is given up; and perhaps the whole webhook. */
export async function markFailed(db: Db, failed: FailedAttempt): Promise<void> {
  const { delivery, responseStatus, error, retrySeconds, isGone, retryDays } = failed;
  await query(
    db,
    `with failed as (
       update webhook_deliveries
          set status = case when cast(:retry as float8) is null then 'failed' else 'pending' end,
              attempts = attempts + 1, response_status = cast(:responseStatus as smallint), error = :error,
              next_attempt_at = now() + cast(:retry as float8) * interval '1 second', attempted_at = now()
        where number = cast(:number as bigint) and status = 'pending' returning number, next_attempt_at
     ), judged as (
       update webhooks w
          set failing_since = coalesce(w.failing_since, now()),
              enabled = v.reason is null, disabled_reason = v.reason,
              updated_at = case when v.reason is null then w.updated_at else now() end
         from (select case when cast(:isGone as boolean) then 'GONE'
                           when o.failing_since < now() - :retryDays * interval '1 day' then 'FAILING' end as reason
                 from webhooks o where o.id = :webhookId) v
        where w.id = :webhookId and w.enabled and (w.failing_since is null or v.reason is not null)
     ), jobs as (
       select array_agg(${jobOf('f.number', 'cast(:accountId as uuid)', 'f.next_attempt_at')}) as specs
         from failed f where f.next_attempt_at is not null having count(*) > 0
     )
     select count(*) from jobs, graphile_worker.add_jobs(jobs.specs)`,
    {
      number: String(delivery.number),
      webhookId: delivery.webhookId,
      accountId: delivery.accountId,
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
  await query(
    db,
    `update webhook_deliveries set status = 'failed', error = ?, next_attempt_at = null
      where number = ? and status = 'pending'`,
    [error, String(number)],
  );
}

/** Deletes up to `limit` deliveries that are old enough. Returns how many there were. */
export const deleteOldDeliveries = async (db: Db, limit: number): Promise<number> =>
  (
    await query(
      db,
      `delete from webhook_deliveries where number = any(array(
         select number from webhook_deliveries where created_at < now() - interval '30 days'
          order by created_at limit ? for update skip locked)) returning 1`,
      [limit],
    )
  ).length;

/** Deletes up to `limit` webhooks that were deleted, once their deliveries are gone. Returns how many there were. */
export const deleteOldWebhooks = async (db: Db, limit: number): Promise<number> =>
  (
    await query(
      db,
      `delete from webhooks where id = any(array(
         select w.id from webhooks w
          where w.deleted_at is not null and not exists (select 1 from webhook_deliveries d where d.webhook_id = w.id)
          limit ? for update skip locked)) returning 1`,
      [limit],
    )
  ).length;
