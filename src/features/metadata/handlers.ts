import type { Handlers } from '../../http/operation.ts';
import { ownerOf } from '../../lib/owner.ts';
import type { AnswerIntent } from '../answer-intent.ts';
import type { MetadataService } from './service.ts';

/** `/tokens/{address}/metadata`, and `/tokenURI`: the JSON that a contract renders. */
export function metadataHandlers({
  metadata,
  answerIntent,
}: {
  metadata: MetadataService;
  answerIntent: AnswerIntent;
}) {
  return {
    setMetadata: async ({ principal, path, body, write }) => {
      const intent = await metadata.set(ownerOf(principal), path.address, body, write);
      return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
    },

    freezeMetadata: async ({ principal, path, body: { tokenId = null }, write }) => {
      const intent = await metadata.freeze(
        ownerOf(principal),
        path.address,
        { tokenId, frozen: true },
        write,
      );
      return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
    },

    unfreezeMetadata: async ({ principal, path, query: { tokenId = null }, write }) => {
      const intent = await metadata.freeze(
        ownerOf(principal),
        path.address,
        { tokenId, frozen: false },
        write,
      );
      return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
    },

    getMetadata: async ({ principal, path, query: { tokenId = null } }) => ({
      status: 200,
      body: await metadata.read(ownerOf(principal), path.address, tokenId),
    }),

    listMetadataKeys: async ({ principal, path, query: { tokenId = null } }) => ({
      status: 200,
      body: { keys: await metadata.listKeys(ownerOf(principal), path.address, tokenId) },
    }),

    previewMetadata: async ({ body }) => ({ status: 200, body: await metadata.preview(body) }),

    getContractUri: async ({ path }) => ({ status: 200, body: await metadata.render(path.address, null) }),

    getTokenUri: async ({ path }) => ({
      status: 200,
      body: await metadata.render(path.address, path.tokenId),
    }),
  } satisfies Partial<Handlers>;
}
