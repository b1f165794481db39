import { isSettled } from '../../engine/index.ts';
import type { Intent } from '../../engine/index.ts';
import type { Handlers } from '../../http/operation.ts';
import { answerWrite } from '../../http/write-answer.ts';
import type { AnsweredIntent, ExplorerUrl } from '../../http/write-answer.ts';
import type { MetadataService } from './service.ts';

export const metadataHandlers = ({
  metadata,
  explorerUrl,
}: {
  metadata: MetadataService;
  explorerUrl: ExplorerUrl;
}) =>
  ({
    setMetadata: async ({ principal: { accountId, environment }, path, body, write }) => {
      const intent = await metadata.set({ accountId, environment }, path.address, body, write);
      return answerWrite(toAnswered(intent), {
        settled: isSettled(intent.status),
        respondAsync: write.respondAsync,
        explorerUrl,
        success: () => ({ status: 200, body: { success: true } }),
      });
    },

    getMetadata: async ({ principal: { accountId, environment }, path, query }) => ({
      status: 200,
      body: await metadata.read({ accountId, environment }, path.address, query.tokenId ?? null),
    }),

    listMetadataKeys: async ({ principal: { accountId, environment }, path, query }) => ({
      status: 200,
      body: {
        keys: await metadata.listKeys({ accountId, environment }, path.address, query.tokenId ?? null),
      },
    }),

    getContractUri: async ({ path }) => ({ status: 200, body: await metadata.render(path.address, null) }),

    getTokenUri: async ({ path }) => ({
      status: 200,
      body: await metadata.render(path.address, path.tokenId),
    }),
  }) satisfies Partial<Handlers>;

const toAnswered = (intent: Intent): AnsweredIntent => ({
  ...intent,
  kind: intent.kind as AnsweredIntent['kind'],
});
