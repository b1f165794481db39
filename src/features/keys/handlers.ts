import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import type { ApiKey, KeyService } from './service.ts';

const presentKey = ({ number: _number, createdAt, revokedAt, ...key }: ApiKey): Schemas['ApiKey'] => ({
  ...key,
  createdAt: createdAt.toISOString(),
  revokedAt: revokedAt && revokedAt.toISOString(),
});

export const keyHandlers = ({ keys }: { keys: KeyService }) =>
  ({
    createApiKey: async ({ principal, body: { name, environment = 'live' }, write }) => ({
      status: 201,
      body: await keys.create(principal.accountId, { name, environment }, write.idempotency),
    }),
    listApiKeys: async ({ principal, query: { limit = 20, cursor } }) => {
      const rows = await keys.list(principal.accountId, { before: decodeCursor(cursor), limit: limit + 1 });
      const page = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: page.rows.map(presentKey), nextCursor: page.nextCursor } };
    },
    revokeApiKey: async ({ principal, path }) => ({
      status: 200,
      body: presentKey(await keys.revoke(principal.accountId, path.id)),
    }),
  }) satisfies Partial<Handlers>;
