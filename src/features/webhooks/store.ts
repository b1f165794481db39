import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { pageBindings } from '../../db/page.ts';
import type { Environment, Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';

/** What happens to an intent. */
export type IntentEvent = 'intent.confirmed' | 'intent.failed' | 'intent.retracted';

/** What a webhook may ask for. */
export type WebhookEvent = IntentEvent | 'account.wallet_changed';

/** Why the service disabled a webhook: it answered 410, or nothing but failures for days. */
export type DisabledReason = 'GONE' | 'FAILING';

/** A webhook as it may be shown. */
export interface Webhook {
  id: string;
  /** Newer ones have larger ones. */
  number: bigint;
  environment: Environment;
  url: string;
  events: WebhookEvent[];
  enabled: boolean;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

const WEBHOOK_COLUMNS = `w.id, w.number, w.environment, w.url, w.events, w.enabled,
  w.disabled_reason as "disabledReason", w.created_at as "createdAt", w.updated_at as "updatedAt"`;

/** Whose it is, unless it is deleted. */
const OWN = 'w.account_id = :accountId and w.environment = :environment and w.deleted_at is null';

/** A page of an account's webhooks, newest first. */
export function listWebhooks(db: Db, owner: Owner, page: Page): Promise<Webhook[]> {
  return query<Webhook>(
    db,
    `select ${WEBHOOK_COLUMNS} from webhooks w
      where ${OWN} and w.number < :before::bigint order by w.number desc limit :limit`,
    { ...owner, ...pageBindings(page) },
  );
}

/** The webhook of this id if the caller owns it. */
export async function findWebhook(db: Db | Tx, owner: Owner, id: string): Promise<Webhook | undefined> {
  const [row] = await query<Webhook>(
    db,
    `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = :id and ${OWN}`,
    { ...owner, id },
  );
  return row;
}

/** How many webhooks the caller has. */
export async function countWebhooks(tx: Tx, owner: Owner): Promise<number> {
  const [row] = await query<{ n: number }>(tx, `select count(*)::int as n from webhooks w where ${OWN}`, {
    ...owner,
  });
  return row!.n;
}

export interface NewWebhook extends Owner {
  id: string;
  url: string;
  events: readonly WebhookEvent[];
  /** Sealed. */
  secret: Buffer;
}

/** Writes a webhook. From here on the account is notified of verdicts. The caller holds the account's row. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<Webhook> {
  const [row] = await query<Webhook>(
    tx,
    `insert into webhooks as w (id, account_id, environment, url, events, secret)
     values (:id, :accountId, :environment, :url, :events::text[], :secret) returning ${WEBHOOK_COLUMNS}`,
    { ...webhook },
  );
  await updateIsWatched(tx, webhook.accountId);
  return row!;
}

/** Notes on the account whether it has webhooks: without one, its verdicts cost nothing more. */
async function updateIsWatched(tx: Tx, accountId: string): Promise<void> {
  await query(
    tx,
    `update accounts a set is_watched = watched
       from (select exists (select 1 from webhooks where account_id = :accountId and deleted_at is null) as watched) w
      where a.id = :accountId and a.is_watched <> watched`,
    { accountId },
  );
}

/** What a change asks for; undefined leaves a part as it is. */
export interface WebhookChange {
  url?: string;
  events?: readonly WebhookEvent[];
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
        set url = coalesce(:url::text, w.url), events = coalesce(:events::text[], w.events),
            enabled = coalesce(:enabled::boolean, w.enabled),
            disabled_reason = case when :enabled::boolean is null then w.disabled_reason end,
            failing_since = case when :enabled::boolean is null then w.failing_since end,
            updated_at = now()
      where w.id = :id and ${OWN} returning ${WEBHOOK_COLUMNS}`,
    { ...owner, id, url: url ?? null, events: events ?? null, enabled: enabled ?? null },
  );
  return row;
}

/** Deletes a webhook and its secrets; its deliveries go when they are old. Returns whether there was one. */
export async function deleteWebhook(tx: Tx, owner: Owner, id: string): Promise<boolean> {
  const rows = await query(
    tx,
    `update webhooks w
        set deleted_at = now(), enabled = false, disabled_reason = null,
            secret = null, previous_secret = null, previous_secret_until = null
      where w.id = :id and ${OWN} returning 1`,
    { ...owner, id },
  );
  if (rows.length > 0) await updateIsWatched(tx, owner.accountId);
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

/** Deletes up to `limit` webhooks that were deleted, once their deliveries are gone. Returns how many there were. */
export async function deleteOldWebhooks(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from webhooks where id = any(array(
       select w.id from webhooks w
        where w.deleted_at is not null and not exists (select 1 from webhook_deliveries d where d.webhook_id = w.id)
        limit :limit for update skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}
