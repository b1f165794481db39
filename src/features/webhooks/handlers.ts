import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Principal } from '../../http/operation.ts';
import { showDelivery, showWebhook } from './service.ts';
import type { Owner, WebhookService } from './service.ts';

const ownerOf = ({ accountId, environment }: Principal): Owner => ({ accountId, environment });

export const webhookHandlers = ({ webhooks }: { webhooks: WebhookService }) =>
  ({
    createWebhook: async ({ principal, body, write }) => ({
      status: 201,
      body: await webhooks.create(ownerOf(principal), body, write.idempotency),
    }),
    listWebhooks: async ({ principal, query: { limit = 20, cursor } }) => {
      const rows = await webhooks.list(ownerOf(principal), {
        before: decodeCursor(cursor),
        limit: limit + 1,
      });
      const page = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: page.rows.map(showWebhook), nextCursor: page.nextCursor } };
    },
    getWebhook: async ({ principal, path }) => ({
      status: 200,
      body: await webhooks.read(ownerOf(principal), path.id),
    }),
    updateWebhook: async ({ principal, path, body, write }) => ({
      status: 200,
      body: await webhooks.update(ownerOf(principal), path.id, body, write.idempotency),
    }),
    deleteWebhook: async ({ principal, path }) => {
      await webhooks.remove(ownerOf(principal), path.id);
      return { status: 204 };
    },
    rotateWebhookSecret: async ({ principal, path, write }) => ({
      status: 200,
      body: await webhooks.rotateSecret(ownerOf(principal), path.id, write.idempotency),
    }),
    testWebhook: async ({ principal, path, write }) => ({
      status: 201,
      body: await webhooks.test(ownerOf(principal), path.id, write.idempotency),
    }),
    listWebhookDeliveries: async ({ principal, path, query: { limit = 20, cursor } }) => {
      const rows = await webhooks.listDeliveries(ownerOf(principal), path.id, {
        before: decodeCursor(cursor),
        limit: limit + 1,
      });
      const page = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: page.rows.map(showDelivery), nextCursor: page.nextCursor } };
    },
    replayWebhookDelivery: async ({ principal, path, write }) => ({
      status: 200,
      body: await webhooks.replay(ownerOf(principal), path.id, path.deliveryId, write.idempotency),
    }),
  }) satisfies Partial<Handlers>;
