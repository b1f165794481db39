import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { inSeconds, table } from '../../db/table.ts';
import type { Columns } from '../../db/table.ts';
import type { Environment, Owner } from '../../lib/owner.ts';
import { MAX_POSITION } from '../../lib/page.ts';
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

const WEBHOOK_COLUMNS: Columns<'webhooks', Webhook> = {
  id: 'id',
  number: 'number',
  environment: 'environment',
  url: 'url',
  events: 'events',
  enabled: 'enabled',
  disabledReason: 'disabled_reason',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

/** Those of the caller, unless they are deleted. */
const own = (db: Db | Tx, { accountId, environment }: Owner) =>
  table(db, 'webhooks').where({ account_id: accountId, environment, deleted_at: null });

/** A page of an account's webhooks, newest first. */
export async function listWebhooks(db: Db, owner: Owner, page: Page): Promise<Webhook[]> {
  return own(db, owner)
    .where('number', '<', page.before ?? MAX_POSITION)
    .orderBy('number', 'desc')
    .limit(page.limit)
    .select<Webhook>(WEBHOOK_COLUMNS);
}

/** The webhook of this id if the caller owns it. */
export async function findWebhook(db: Db | Tx, owner: Owner, id: string): Promise<Webhook | undefined> {
  const [row] = await own(db, owner).where({ id }).select<Webhook>(WEBHOOK_COLUMNS);
  return row;
}

/** How many webhooks the caller has. */
export async function countWebhooks(tx: Tx, owner: Owner): Promise<number> {
  return (await own(tx, owner).select('id')).length;
}

interface NewWebhook extends Owner {
  id: string;
  url: string;
  events: readonly WebhookEvent[];
  /** Sealed. */
  secret: Buffer;
}

/** Writes a webhook. From here on the account is notified of verdicts. The caller holds the account's row. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<Webhook> {
  const { id, accountId, environment, url, events, secret } = webhook;
  const [row] = await table(tx, 'webhooks')
    .insert({ id, account_id: accountId, environment, url, events: [...events], secret })
    .returning<Webhook>(WEBHOOK_COLUMNS);
  await updateIsWatched(tx, accountId);
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
  const [row] = await own(tx, owner)
    .where({ id })
    .update({
      ...(url !== undefined && { url }),
      ...(events && { events: [...events] }),
      ...(enabled !== undefined && { enabled, disabled_reason: null, failing_since: null }),
      updated_at: tx.fn.now(),
    })
    .returning<Webhook>(WEBHOOK_COLUMNS);
  return row;
}

/** Deletes a webhook and its secrets; its deliveries go when they are old. Returns whether there was one. */
export async function deleteWebhook(tx: Tx, owner: Owner, id: string): Promise<boolean> {
  const deleted = await own(tx, owner).where({ id }).update({
    deleted_at: tx.fn.now(),
    enabled: false,
    disabled_reason: null,
    secret: null,
    previous_secret: null,
    previous_secret_until: null,
  });
  if (deleted > 0) await updateIsWatched(tx, owner.accountId);
  return deleted > 0;
}

/** Puts a new sealed secret in the place of the old one, which signs too for so many hours. Returns until when. */
export async function replaceSecret(
  tx: Tx,
  owner: Owner,
  id: string,
  secret: Buffer,
  hours: number,
): Promise<Date | undefined> {
  const [row] = await own(tx, owner)
    .where({ id })
    .update({
      previous_secret: tx.ref('secret'),
      previous_secret_until: inSeconds(tx, hours * 3_600),
      secret,
      updated_at: tx.fn.now(),
    })
    .returning(['previous_secret_until']);
  return row?.previous_secret_until ?? undefined;
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
