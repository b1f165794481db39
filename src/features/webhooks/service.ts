import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../../db/client.ts';
import { findAnswer, insertRecords } from '../../db/idempotency.ts';
import type { Idempotency } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { createSigningSecret } from './secret.ts';
import type { SecretBox } from './secret.ts';
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertTestDelivery,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  lockAccount,
  replaceSecret,
  restartDelivery,
  updateWebhook,
} from './store.ts';
import type { Delivery, IntentEvent, Owner, Page, Webhook, WebhookChange } from './store.ts';
import { readTarget } from './target.ts';

export type { Delivery, Owner, Webhook };

/** Of one account in one environment. */
const MAX_WEBHOOKS = 10;
/** Hours that a secret still signs after another one has taken its place. */
const OVERLAP_HOURS = 24;
const EVENTS: readonly IntentEvent[] = ['intent.confirmed', 'intent.failed', 'intent.retracted'];

/** As JSON carries it: what is answered now is kept for a replay. */
type Shown<Record> = {
  [Key in keyof Record as Key extends 'number' ? never : Key]: Record[Key] extends Date
    ? string
    : Record[Key] extends Date | null
      ? string | null
      : Record[Key];
};
export type ShownWebhook = Shown<Webhook>;
export type ShownDelivery = Shown<Delivery>;

export const showWebhook = ({
  number: _number,
  createdAt,
  updatedAt,
  ...webhook
}: Webhook): ShownWebhook => ({
  ...webhook,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export const showDelivery = ({ number: _number, ...delivery }: Delivery): ShownDelivery => ({
  ...delivery,
  nextAttemptAt: delivery.nextAttemptAt && delivery.nextAttemptAt.toISOString(),
  attemptedAt: delivery.attemptedAt && delivery.attemptedAt.toISOString(),
  createdAt: delivery.createdAt.toISOString(),
});

export interface WebhookService {
  /**
   * Registers an endpoint. Its secret is answered here and nowhere else: a replay has none.
   * @throws AppError VALIDATION_ERROR, CONFLICT when there are too many, NOT_READY without a key for secrets
   */
  create(
    owner: Owner,
    request: { url: string; events?: readonly IntentEvent[] },
    idempotency: Idempotency | null,
  ): Promise<ShownWebhook & { secret?: string }>;
  list(owner: Owner, page: Page): Promise<Webhook[]>;
  /** @throws AppError NOT_FOUND */
  read(owner: Owner, id: string): Promise<ShownWebhook>;
  /** @throws AppError NOT_FOUND, VALIDATION_ERROR */
  update(
    owner: Owner,
    id: string,
    change: WebhookChange,
    idempotency: Idempotency | null,
  ): Promise<ShownWebhook>;
  /** @throws AppError NOT_FOUND */
  remove(owner: Owner, id: string): Promise<void>;
  /**
   * Makes another secret, answered here and nowhere else; the one before signs too for a day.
   * @throws AppError NOT_FOUND, NOT_READY without a key for secrets
   */
  rotateSecret(
    owner: Owner,
    id: string,
    idempotency: Idempotency | null,
  ): Promise<{ previousSecretExpiresAt: string; secret?: string }>;
  /** @throws AppError NOT_FOUND */
  listDeliveries(owner: Owner, id: string, page: Page): Promise<Delivery[]>;
  /** Sends a message again, with the same id. @throws AppError NOT_FOUND, CONFLICT when the webhook is disabled */
  replay(
    owner: Owner,
    id: string,
    deliveryId: string,
    idempotency: Idempotency | null,
  ): Promise<ShownDelivery>;
  /** Sends a test event. @throws AppError NOT_FOUND, CONFLICT when the webhook is disabled */
  test(owner: Owner, id: string, idempotency: Idempotency | null): Promise<ShownDelivery>;
}

const unknownWebhook = (): AppError => new AppError('NOT_FOUND', 'No webhook of yours has this id');

/** @param box null while the operator has given no key for secrets */
export function createWebhookService({
  db,
  box,
  allowPrivate,
}: {
  db: Db;
  box: SecretBox | null;
  /** Whether the operator allows receivers that are not on the internet. */
  allowPrivate: boolean;
}): WebhookService {
  /** Does something once for each key: what it answers is kept, but for what may be shown only once. */
  const once = <Answer extends object, Once extends object>(
    owner: Owner,
    idempotency: Idempotency | null,
    work: (tx: Tx) => Promise<{ answer: Answer; shown?: Once }>,
  ): Promise<Answer & Partial<Once>> =>
    db.transaction(async (tx) => {
      const record = idempotency && { ...owner, ...idempotency };
      const replayed = record && (await findAnswer(tx, record));
      if (replayed) return replayed as Answer & Partial<Once>;
      await lockAccount(tx, owner.accountId);
      const { answer, shown } = await work(tx);
      if (record) await insertRecords(tx, [{ ...record, intentNumber: null, answer }]);
      return { ...answer, ...shown };
    });

  const readyBox = (): SecretBox => {
    if (box) return box;
    throw new AppError('NOT_READY', 'This service has no key for the secrets of webhooks; ask its operator');
  };

  const findOwn = async (tx: Db | Tx, owner: Owner, id: string): Promise<Webhook> => {
    const webhook = await findWebhook(tx, owner, id);
    if (!webhook) throw unknownWebhook();
    return webhook;
  };

  const findEnabled = async (tx: Tx, owner: Owner, id: string): Promise<void> => {
    const { enabled } = await findOwn(tx, owner, id);
    if (!enabled) throw new AppError('CONFLICT', 'This webhook is disabled; enable it first');
  };

  return {
    create: (owner, { url, events = EVENTS }, idempotency) => {
      const target = readTarget(url, allowPrivate);
      const sealing = readyBox();
      return once(owner, idempotency, async (tx) => {
        if ((await countWebhooks(tx, owner)) >= MAX_WEBHOOKS) {
          throw new AppError('CONFLICT', `There are ${MAX_WEBHOOKS} webhooks already; delete one first`);
        }
        const id = randomUUID();
        const secret = createSigningSecret();
        const webhook = await insertWebhook(tx, {
          ...owner,
          id,
          url: target,
          events,
          secret: sealing.seal(id, secret),
        });
        return { answer: showWebhook(webhook), shown: { secret } };
      });
    },
    list: (owner, page) => listWebhooks(db, owner, page),
    read: async (owner, id) => showWebhook(await findOwn(db, owner, id)),
    update: (owner, id, change, idempotency) => {
      const target = change.url === undefined ? {} : { url: readTarget(change.url, allowPrivate) };
      return once(owner, idempotency, async (tx) => {
        const webhook = await updateWebhook(tx, owner, id, { ...change, ...target });
        if (!webhook) throw unknownWebhook();
        return { answer: showWebhook(webhook) };
      });
    },
    remove: (owner, id) =>
      db.transaction(async (tx) => {
        await lockAccount(tx, owner.accountId);
        if (!(await deleteWebhook(tx, owner, id))) throw unknownWebhook();
      }),
    rotateSecret: (owner, id, idempotency) =>
      once(owner, idempotency, async (tx) => {
        await findOwn(tx, owner, id);
        const secret = createSigningSecret();
        const until = await replaceSecret(tx, owner, id, readyBox().seal(id, secret), OVERLAP_HOURS);
        return { answer: { previousSecretExpiresAt: until!.toISOString() }, shown: { secret } };
      }),
    listDeliveries: async (owner, id, page) => listDeliveries(db, (await findOwn(db, owner, id)).id, page),
    replay: (owner, id, deliveryId, idempotency) =>
      once(owner, idempotency, async (tx) => {
        await findEnabled(tx, owner, id);
        const delivery = await restartDelivery(tx, owner.accountId, id, deliveryId);
        if (!delivery) throw new AppError('NOT_FOUND', 'This webhook has no delivery with this id');
        return { answer: showDelivery(delivery) };
      }),
    test: (owner, id, idempotency) =>
      once(owner, idempotency, async (tx) => {
        await findEnabled(tx, owner, id);
        const payload = {
          type: 'webhook.test',
          timestamp: new Date().toISOString(),
          data: { webhookId: id },
        };
        const delivery = await insertTestDelivery(tx, owner.accountId, {
          id: randomUUID(),
          webhookId: id,
          payload: JSON.stringify(payload),
        });
        return { answer: showDelivery(delivery) };
      }),
  };
}
