import { randomUUID } from 'node:crypto';
import { changeAccount } from '../../db/change-account.ts';
import type { Db } from '../../db/client.ts';
import { answerOnce } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import type { Origin } from '../../lib/write-options.ts';
import { createDeliveryService } from './deliveries.ts';
import type { DeliveryService } from './deliveries.ts';
import { findOwnWebhook, unknownWebhook } from './find-webhook.ts';
import { recordWebhook } from './record.ts';
import type { WebhookWrite } from './record.ts';
import { presentWebhook } from './present.ts';
import type { ShownWebhook } from './present.ts';
import { createSigningSecret } from './secret.ts';
import type { SecretBox } from './secret.ts';
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  replaceSecret,
  updateWebhook,
} from './store.ts';
import type { Webhook, WebhookChange, WebhookEvent } from './store.ts';
import { readTarget } from './target.ts';

/** Of one account in one environment. */
const MAX_WEBHOOKS = 10;
/** Hours that a secret still signs after another one has taken its place. */
const OVERLAP_HOURS = 24;
/** Unless others are asked for. */
const DEFAULT_EVENTS: readonly WebhookEvent[] = ['intent.confirmed', 'intent.failed', 'intent.retracted'];

export interface WebhookService extends DeliveryService {
  /**
   * Registers an endpoint. Its secret is returned here and nowhere else: a replay has none.
   * @throws AppError VALIDATION_ERROR, CONFLICT when there are too many, NOT_READY without a key for secrets
   */
  create(
    owner: Owner,
    request: { url: string; events?: readonly WebhookEvent[] },
    write: WebhookWrite,
  ): Promise<ShownWebhook & { secret?: string }>;
  list(owner: Owner, page: Page): Promise<Webhook[]>;
  /** @throws AppError NOT_FOUND */
  read(owner: Owner, id: string): Promise<ShownWebhook>;
  /** @throws AppError NOT_FOUND, VALIDATION_ERROR */
  update(owner: Owner, id: string, change: WebhookChange, write: WebhookWrite): Promise<ShownWebhook>;
  /** @throws AppError NOT_FOUND */
  remove(owner: Owner, id: string, origin: Origin): Promise<void>;
  /**
   * Makes another secret, returned here and nowhere else; the one before signs too for a day.
   * @throws AppError NOT_FOUND, NOT_READY without a key for secrets
   */
  rotateSecret(
    owner: Owner,
    id: string,
    write: WebhookWrite,
  ): Promise<{ previousSecretExpiresAt: string; secret?: string }>;
}

export function createWebhookService(parts: {
  db: Db;
  /** Null while the operator has given no key for secrets. */
  box: SecretBox | null;
  /** Whether the operator allows receivers that are not on the internet. */
  allowPrivate: boolean;
}): WebhookService {
  const { db, box, allowPrivate } = parts;
  return {
    ...createDeliveryService(db),

    create: (owner, { url, events = DEFAULT_EVENTS }, { idempotency, origin }) => {
      const target = readTarget(url, allowPrivate);
      const sealing = readyBox(box);
      return answerOnce(db, owner, idempotency, async (tx) => {
        if ((await countWebhooks(tx, owner)) >= MAX_WEBHOOKS) {
          throw new AppError('CONFLICT', `There are ${MAX_WEBHOOKS} webhooks already; delete one first`);
        }
        const id = randomUUID();
        const secret = createSigningSecret();
        const sealed = sealing.seal(id, secret);
        const webhook = await insertWebhook(tx, { ...owner, id, url: target, events, secret: sealed });
        await recordWebhook(tx, 'webhook_created', { owner, id, origin });
        return { answer: presentWebhook(webhook), shown: { secret } };
      });
    },

    list: (owner, page) => listWebhooks(db, owner, page),

    read: async (owner, id) => presentWebhook(await findOwnWebhook(db, owner, id)),

    update: (owner, id, change, { idempotency, origin }) => {
      const target = change.url === undefined ? {} : { url: readTarget(change.url, allowPrivate) };
      return answerOnce(db, owner, idempotency, async (tx) => {
        const before = await findOwnWebhook(tx, owner, id);
        const webhook = (await updateWebhook(tx, owner, id, { ...change, ...target })) ?? unknownWebhook();
        // What is so already is no change: asked for without end, it would fill the log.
        if (isChanged(before, webhook)) await recordWebhook(tx, 'webhook_updated', { owner, id, origin });
        return { answer: presentWebhook(webhook) };
      });
    },

    remove: (owner, id, origin) =>
      changeAccount(db, owner.accountId, async (tx) => {
        if (!(await deleteWebhook(tx, owner, id))) unknownWebhook();
        await recordWebhook(tx, 'webhook_deleted', { owner, id, origin });
      }),

    rotateSecret: (owner, id, { idempotency, origin }) =>
      answerOnce(db, owner, idempotency, async (tx) => {
        await findOwnWebhook(tx, owner, id);
        const secret = createSigningSecret();
        const sealed = readyBox(box).seal(id, secret);
        const until = await replaceSecret(tx, owner, id, sealed, OVERLAP_HOURS);
        await recordWebhook(tx, 'webhook_secret_rotated', { owner, id, origin });
        return { answer: { previousSecretExpiresAt: until!.toISOString() }, shown: { secret } };
      }),
  };
}

function isChanged(before: Webhook, after: Webhook): boolean {
  const settings = ({ url, events, enabled, disabledReason }: Webhook): string =>
    JSON.stringify([url, events, enabled, disabledReason]);
  return settings(before) !== settings(after);
}

/** @throws AppError NOT_READY */
function readyBox(box: SecretBox | null): SecretBox {
  if (box) return box;
  throw new AppError('NOT_READY', 'This service has no key for the secrets of webhooks; ask its operator');
}
