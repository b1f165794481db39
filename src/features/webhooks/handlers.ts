import type { Handlers } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { ownerOf } from '../../lib/owner.ts';
import { presentDelivery, presentWebhook } from './present.ts';
import type { WebhookService } from './service.ts';

/** `/v1/webhooks`. */
export function webhookHandlers({ webhooks }: { webhooks: WebhookService }) {
  return {
    createWebhook: async ({ principal, body, write }) => ({
      status: 201,
      body: await webhooks.create(ownerOf(principal), body, write),
    }),
    listWebhooks: ({ principal, query }) =>
      answerPage(query, {
        read: (page) => webhooks.list(ownerOf(principal), page),
        positionOf: ({ number }) => number,
        present: presentWebhook,
      }),
    getWebhook: async ({ principal, path }) => ({
      status: 200,
      body: await webhooks.read(ownerOf(principal), path.id),
    }),
    updateWebhook: async ({ principal, path, body, write }) => ({
      status: 200,
      body: await webhooks.update(ownerOf(principal), path.id, body, write),
    }),
    deleteWebhook: async ({ principal, path, origin }) => {
      await webhooks.remove(ownerOf(principal), path.id, origin);
      return { status: 204 };
    },
    rotateWebhookSecret: async ({ principal, path, write }) => ({
      status: 200,
      body: await webhooks.rotateSecret(ownerOf(principal), path.id, write),
    }),
    testWebhook: async ({ principal, path, write }) => ({
      status: 201,
      body: await webhooks.test(ownerOf(principal), path.id, write),
    }),
    listWebhookDeliveries: ({ principal, path, query: { status = null, ...query } }) =>
      answerPage(query, {
        read: (page) => webhooks.listDeliveries(ownerOf(principal), path.id, { status, ...page }),
        positionOf: ({ number }) => number,
        present: presentDelivery,
      }),
    replayWebhookDelivery: async ({ principal, path, write }) => ({
      status: 200,
      body: await webhooks.replay(ownerOf(principal), path.id, path.deliveryId, write),
    }),
  } satisfies Partial<Handlers>;
}
