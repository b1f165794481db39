import { randomUUID } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Db } from '../../db/client.ts';
import { answerOnce } from '../../db/idempotency.ts';
import { AppError } from '../../errors.ts';
import { consumePoint } from '../../http/rate-limit.ts';
import type { Owner } from '../../lib/owner.ts';
import { createWakeLines } from './delivery-jobs.ts';
import { insertTestDelivery, listDeliveries, restartDelivery } from './delivery-store.ts';
import type { Delivery, DeliveryPage } from './delivery-store.ts';
import { assertEnabled, findOwnWebhook } from './find-webhook.ts';
import { presentDelivery } from './present.ts';
import type { ShownDelivery } from './present.ts';
import { recordWebhook } from './record.ts';
import type { WebhookWrite } from './record.ts';

/**
 * Test events and replays of an account in a minute, counted in this process's memory: they are free, and each is sent.
 */
const ASKED_PER_MINUTE = 30;

export interface DeliveryService {
  /** A page of a webhook's messages, newest first. @throws AppError NOT_FOUND */
  listDeliveries(owner: Owner, id: string, page: DeliveryPage): Promise<Delivery[]>;
  /**
   * Sends a message again, with the same id.
   * @throws AppError NOT_FOUND, CONFLICT when the webhook is disabled, RATE_LIMITED
   */
  replay(owner: Owner, id: string, deliveryId: string, write: WebhookWrite): Promise<ShownDelivery>;
  /** Sends a test event. @throws AppError NOT_FOUND, CONFLICT when the webhook is disabled, RATE_LIMITED */
  test(owner: Owner, id: string, write: WebhookWrite): Promise<ShownDelivery>;
}

export function createDeliveryService(db: Db): DeliveryService {
  const wake = createWakeLines(db);
  const asked = new RateLimiterMemory({ points: ASKED_PER_MINUTE, duration: 60 });
  const countAsked = ({ accountId }: Owner): Promise<void> =>
    consumePoint(asked, accountId, `An account may ask for ${ASKED_PER_MINUTE} messages in a minute.`);

  return {
    listDeliveries: async (owner, id, page) =>
      listDeliveries(db, (await findOwnWebhook(db, owner, id)).id, page),

    replay: (owner, id, deliveryId, { idempotency, origin }) =>
      answerOnce(db, owner, idempotency, async (tx) => {
        await assertEnabled(tx, owner, id);
        await countAsked(owner);
        const delivery = await restartDelivery(tx, id, deliveryId);
        if (!delivery) throw new AppError('NOT_FOUND', 'This webhook has no delivery with this id');
        wake(tx, [owner.accountId]);
        await recordWebhook(tx, 'webhook_delivery_replayed', { owner, id, origin });
        return { answer: presentDelivery(delivery) };
      }),

    test: (owner, id, { idempotency, origin }) =>
      answerOnce(db, owner, idempotency, async (tx) => {
        await assertEnabled(tx, owner, id);
        await countAsked(owner);
        const delivery = await insertTestDelivery(tx, {
          id: randomUUID(),
          webhookId: id,
          payload: testPayload(id),
        });
        wake(tx, [owner.accountId]);
        await recordWebhook(tx, 'webhook_tested', { owner, id, origin });
        return { answer: presentDelivery(delivery) };
      }),
  };
}

function testPayload(webhookId: string): string {
  return JSON.stringify({
    type: 'webhook.test',
    timestamp: new Date().toISOString(),
    data: { webhookId },
  });
}
