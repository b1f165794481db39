import type { Handlers, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import type { KeyService } from './service.ts';
import type { ApiKey } from './store.ts';

/** `/v1/api-keys`. */
export function keyHandlers({ keys }: { keys: KeyService }) {
  return {
    createApiKey: async ({ principal, body: { name, environment = 'live' }, write }) => ({
      status: 201,
      body: await keys.create(principal.accountId, { name, environment }, write),
    }),

    listApiKeys: ({ principal, query }) =>
      answerPage(query, {
        read: (page) => keys.list(principal.accountId, page),
        positionOf: ({ number }) => number,
        present: presentKey,
      }),

    revokeApiKey: async ({ principal, path, origin }) => ({
      status: 200,
      body: presentKey(await keys.revoke(principal.accountId, path.id, { actor: 'account', origin })),
    }),
  } satisfies Partial<Handlers>;
}

function presentKey({ number: _number, createdAt, revokedAt, ...key }: ApiKey): Schemas['ApiKey'] {
  return { ...key, createdAt: createdAt.toISOString(), revokedAt: revokedAt && revokedAt.toISOString() };
}
