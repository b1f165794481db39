import { presentAddress } from '../../chain/address.ts';
import { isSettled } from '../../engine/index.ts';
import type { Intent } from '../../engine/index.ts';
import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Principal, Schemas, Write } from '../../http/operation.ts';
import { answerWrite, presentTransaction } from '../../http/write-answer.ts';
import type { AnsweredIntent, ExplorerUrl } from '../../http/write-answer.ts';
import type { Collection, CollectionService, Nft, Owner } from './service.ts';

export const collectionHandlers = ({
  collections,
  explorerUrl,
}: {
  collections: CollectionService;
  explorerUrl: ExplorerUrl;
}) => {
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
  const optionsOf = (intent: Intent, { respondAsync }: Write) => ({
    settled: isSettled(intent.status),
    respondAsync,
    explorerUrl,
  });
  /** What only a confirmed intent has; read before its answer is rendered, which waits for nothing. */
  const whenConfirmed = async <Value>(intent: Intent, read: () => Promise<Value>): Promise<Value | null> =>
    intent.status === 'confirmed' ? read() : null;

  return {
    createCollection: async ({ principal, body, write }) => {
      const intent = await collections.create(ownerOf(principal), body, write);
      const credits = await whenConfirmed(intent, () => collections.creditsOf(intent));
      return answerWrite(toAnswered(intent), {
        ...optionsOf(intent, write),
        success: (transaction) => ({
          status: 201,
          body: {
            address: presentAddress(intent.contract),
            name: String(intent.arguments.name),
            symbol: String(intent.arguments.symbol),
            environment: intent.environment,
            minted: 0,
            transaction,
            createdAt: intent.createdAt.toISOString(),
            credits: credits!,
          },
        }),
      });
    },

    mintNft: async ({ principal, path, body, write }) => {
      const intent = await collections.mint(ownerOf(principal), path.address, body, write);
      const minted = await whenConfirmed(intent, () => presentMint(collections, intent));
      return answerWrite(toAnswered(intent), {
        ...optionsOf(intent, write),
        success: (transaction) => ({
          status: 201,
          body: { ...minted!.tokens[0]!, transaction, credits: minted!.credits },
        }),
      });
    },

    mintNftBatch: async ({ principal, path, body, write }) => {
      const intent = await collections.mintBatch(ownerOf(principal), path.address, body.items, write);
      const minted = await whenConfirmed(intent, () => presentMint(collections, intent));
      return answerWrite(toAnswered(intent), {
        ...optionsOf(intent, write),
        success: (transaction) => ({ status: 201, body: { ...minted!, transaction } }),
      });
    },

    setCollectionMetadata: async ({ principal, path, body, write }) => {
      const request = { tokenId: null, metadata: body };
      const intent = await collections.setMetadata(ownerOf(principal), path.address, request, write);
      return answerWrite(toAnswered(intent), {
        ...optionsOf(intent, write),
        success: () => ({ status: 200, body: { success: true } }),
      });
    },

    setNftMetadata: async ({ principal, path: { address, tokenId }, body, write }) => {
      const request = { tokenId, metadata: body };
      const intent = await collections.setMetadata(ownerOf(principal), address, request, write);
      return answerWrite(toAnswered(intent), {
        ...optionsOf(intent, write),
        success: () => ({ status: 200, body: { success: true } }),
      });
    },

    getCollection: async ({ principal, path }) => ({
      status: 200,
      body: presentCollection(await collections.read(ownerOf(principal), path.address)),
    }),

    listCollections: async ({ principal, query: { limit = 20, cursor } }) => {
      const page = { before: decodeCursor(cursor), limit: limit + 1 };
      const rows = await collections.list(ownerOf(principal), page);
      const { rows: data, nextCursor } = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: data.map(presentCollection), nextCursor } };
    },

    listCollectionTokens: async ({ principal, path, query: { limit = 20, cursor } }) => {
      const page = { before: decodeCursor(cursor), limit: limit + 1 };
      const rows = await collections.listTokens(ownerOf(principal), path.address, page);
      const { rows: data, nextCursor } = toPage(rows, limit, ({ tokenId }) => tokenId);
      return { status: 200, body: { data: data.map(presentNft), nextCursor } };
    },
  } satisfies Partial<Handlers>;
};

const presentMint = async (collections: CollectionService, intent: Intent) => {
  const [minted, credits] = await Promise.all([collections.mintedBy(intent), collections.creditsOf(intent)]);
  const tokens = minted.map(({ tokenId, to }) => ({ tokenId: String(tokenId), to: presentAddress(to) }));
  return { tokens, credits };
};

const ownerOf = ({ accountId, environment }: Principal): Owner => ({ accountId, environment });
const toAnswered = (intent: Intent): AnsweredIntent => ({
  ...intent,
  kind: intent.kind as AnsweredIntent['kind'],
});
