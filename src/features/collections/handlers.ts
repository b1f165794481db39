import type { ExplorerUrl } from '../../chain/chain.ts';
import { presentAddress } from '../../chain/address.ts';
import type { Intent } from '../../engine/index.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { ownerOf } from '../../lib/owner.ts';
import { presentTransaction } from '../answer-intent.ts';
import type { AnswerIntent } from '../answer-intent.ts';
import { readDeployment } from '../intent-kinds.ts';
import type { CollectionService } from './service.ts';
import type { Collection, Nft } from './store.ts';

interface CollectionHandlerParts {
  collections: CollectionService;
  answerIntent: AnswerIntent;
  explorerUrl: ExplorerUrl;
}

/** `/v1/collections`: what changes them, and what reads them. */
export function collectionHandlers(parts: CollectionHandlerParts) {
  return { ...writeHandlers(parts), ...readHandlers(parts) } satisfies Partial<Handlers>;
}

function writeHandlers({ collections, answerIntent }: CollectionHandlerParts) {
  const presentMint = async (intent: Intent) => {
    const minted = await collections.mintedBy(intent);
    if (!minted) return null;
    const tokens = minted.map(({ tokenId, to }) => ({ tokenId: String(tokenId), to: presentAddress(to) }));
    return { tokens, credits: collections.creditsOf(intent) };
  };

  return {
    createCollection: async ({ principal, body, write }) => {
      const intent = await collections.create(ownerOf(principal), body, write);
      return answerIntent(intent, write, async (transaction) => ({
        status: 201,
        body: {
          ...presentNewCollection(intent),
          intentId: intent.id,
          transaction,
          credits: collections.creditsOf(intent),
        },
      }));
    },

    mintNft: async ({ principal, path, body, write }) => {
      const intent = await collections.mint(ownerOf(principal), path.address, body, write);
      return answerIntent(intent, write, async (transaction) => {
        const minted = await presentMint(intent);
        if (!minted) return null;
        const { tokens, credits } = minted;
        return { status: 201, body: { ...tokens[0]!, intentId: intent.id, transaction, credits } };
      });
    },

    mintNftBatch: async ({ principal, path, body, write, endTurn }) => {
      const options = { ...write, beforeWait: endTurn };
      const intent = await collections.mintBatch(ownerOf(principal), path.address, body.items, options);
      return answerIntent(intent, write, async (transaction) => {
        const minted = await presentMint(intent);
        return minted && { status: 201, body: { ...minted, intentId: intent.id, transaction } };
      });
    },

    setCollectionMetadata: async ({ principal, path, body, write }) => {
      const change = { tokenId: null, metadata: body };
      const intent = await collections.setMetadata(ownerOf(principal), path.address, change, write);
      return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
    },

    setNftMetadata: async ({ principal, path: { address, tokenId }, body, write }) => {
      const change = { tokenId, metadata: body };
      const intent = await collections.setMetadata(ownerOf(principal), address, change, write);
      return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
    },
  } satisfies Partial<Handlers>;
}

function readHandlers({ collections, explorerUrl }: CollectionHandlerParts) {
  const presentCollection = (collection: Collection): Schemas['Collection'] => ({
    address: presentAddress(collection.address),
    name: collection.name,
    symbol: collection.symbol,
    environment: collection.environment,
    minted: collection.minted,
    transaction: presentTransaction(collection.transactionHash, explorerUrl),
    createdAt: collection.createdAt.toISOString(),
  });
  const presentNft = (nft: Nft): Schemas['CollectionToken'] => ({
    tokenId: String(nft.tokenId),
    to: presentAddress(nft.recipient),
    transaction: presentTransaction(nft.transactionHash, explorerUrl),
    createdAt: nft.createdAt.toISOString(),
  });

  return {
    getCollection: async ({ principal, path }) => ({
      status: 200,
      body: presentCollection(await collections.read(ownerOf(principal), path.address)),
    }),

    listCollections: ({ principal, query: { search = null, ...query } }) =>
      answerPage(query, {
        read: (page) => collections.list(ownerOf(principal), { search, ...page }),
        positionOf: ({ number }) => number,
        present: presentCollection,
      }),

    listCollectionTokens: ({ principal, path, query }) =>
      answerPage(query, {
        read: (page) => collections.listTokens(ownerOf(principal), path.address, page),
        positionOf: ({ tokenId }) => tokenId,
        present: presentNft,
      }),
  } satisfies Partial<Handlers>;
}

function presentNewCollection(intent: Intent) {
  const { name, symbol } = readDeployment(intent)!;
  return {
    address: presentAddress(intent.contract),
    name,
    symbol,
    environment: intent.environment,
    minted: 0,
    createdAt: intent.createdAt.toISOString(),
  };
}
