import { toEntries } from '../../chain/abi/metadata-rules.ts';
import type { MetadataInput } from '../../chain/abi/metadata-rules.ts';
import type { Db } from '../../db/client.ts';
import type { AskedIntent, Engine, Intent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { createBatcher } from '../../lib/batcher.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import type { Prices } from '../../lib/plans.ts';
import { askBatchMint, askMetadata, askMint } from '../intent-kinds.ts';
import { MAX_TOKEN_ID, metadataCall } from '../metadata-call.ts';
import { createCollectionFinder } from './find-collection.ts';
import type { FindOwnCollection } from './find-collection.ts';
import { readSandboxCredits, recipientsOf } from './intents.ts';
import { createMeasureBatch } from './measure-batch.ts';
import { batchCall, encodeBatch, mintCall, readItem, runCall } from './mint-calls.ts';
import type { MintRequest } from './mint-calls.ts';
import { findFirstIds, listCollections, listNfts } from './store.ts';
import type { Collection, CollectionPage, Nft } from './store.ts';
import { createSubmit } from './submit.ts';

/** What a write cost, and what it left. */
export interface CreditsSpent {
  cost: number;
  remaining: number;
}

interface CollectionRequest extends CollectionBounds {
  name: string;
  symbol: string;
}

/** What bounds a collection, as the token API takes it; what is left out bounds nothing. */
interface CollectionBounds {
  maxSupply?: string | undefined;
  mintLimitPerDay?: string | undefined;
  recoverable?: boolean | undefined;
  royalty?: { receiver: string; basisPoints: number } | undefined;
}

interface MetadataChange {
  /** Null for the metadata of the collection. */
  tokenId: string | null;
  metadata: MetadataInput;
}

export interface CollectionService {
  /** Deploys a collection. @throws AppError VALIDATION_ERROR, QUOTA_EXCEEDED, DEPLOY_UNAVAILABLE */
  create(owner: Owner, request: CollectionRequest, options: WriteOptions): Promise<Intent>;
  /** Mints the next id. @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED */
  mint(owner: Owner, address: string, request: MintRequest, options: WriteOptions): Promise<Intent>;
  /**
   * Mints the next ids, all or nothing. Calls `beforeWait` once what is left to do is to accept and to wait.
   * @throws AppError VALIDATION_ERROR, also for a batch too large for one transaction, NOT_FOUND, FORBIDDEN,
   *   QUOTA_EXCEEDED, RATE_LIMITED
   */
  mintBatch(
    owner: Owner,
    address: string,
    items: readonly MintRequest[],
    options: WriteOptions & { beforeWait: () => void },
  ): Promise<Intent>;
  /** Replaces metadata. Free. @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN */
  setMetadata(owner: Owner, address: string, change: MetadataChange, options: WriteOptions): Promise<Intent>;
  /** An own collection. */
  read: FindOwnCollection;
  /** A page of own collections, newest first. */
  list(owner: Owner, page: CollectionPage): Promise<Collection[]>;
  /** A page of what was minted in an own collection, newest first. @throws AppError as `read` */
  listTokens(owner: Owner, address: string, page: Page): Promise<Nft[]>;
  /**
   * What a confirmed mint of either kind minted, in the order in which it was asked for; null when nobody knows the ids
   * any more.
   */
  mintedBy(intent: Intent): Promise<{ tokenId: bigint; to: Hex }[] | null>;
  /** What a confirmed write cost; the same at each replay. */
  creditsOf(intent: Intent): CreditsSpent;
}

/** Handed over by the composition root: what tokens, metering and engine do for collections. */
interface CollectionParts {
  db: Db;
  engine: Engine;
  prices: Prices;
  /** Checks a deployment and works out its call and its address. @throws AppError VALIDATION_ERROR */
  planDeployment(
    owner: Owner,
    kind: 'create_collection',
    deployment: typeof COLLECTION & { name: string; symbol: string; bounds: CollectionBounds },
    options: Pick<WriteOptions, 'idempotency'>,
  ): Promise<Pick<AskedIntent, 'requestId' | 'contract' | 'call' | 'kind' | 'arguments'>>;
  /** Credits that are left in the running month. */
  creditsLeft(accountId: string): Promise<number>;
  /** @throws AppError QUOTA_EXCEEDED when the running month has less left */
  requireCredits(accountId: string, amount: number): Promise<void>;
}

/** What collections are among tokens: their JSON comes from the descriptor, and anybody may receive their tokens. */
const COLLECTION = { type: 'ERC721', decimals: null, baseUri: null, permissionless: true } as const;

export function createCollectionService(parts: CollectionParts): CollectionService {
  const { db, prices, planDeployment } = parts;
  const findOwn = createCollectionFinder(db);
  const findFirstId = createFirstIdFinder(db);
  const submit = createSubmit(parts);
  const measureBatch = createMeasureBatch(parts);

  return {
    create: async (owner, { name, symbol, ...bounds }, options) => {
      const deployment = { ...COLLECTION, name, symbol, bounds };
      const plan = await planDeployment(owner, 'create_collection', deployment, options);
      return submit(owner, { ...plan, price: prices.createCollection }, options);
    },

    mint: async (owner, address, request, options) => {
      const item = readItem(request, '');
      const { address: contract } = await findOwn(owner, address);
      const asked = askMint({ type: COLLECTION.type, to: item.to });
      const call = mintCall(contract, item);
      return submit(owner, { ...asked, contract, call, price: prices.mint }, options);
    },

    mintBatch: async (owner, address, requests, { beforeWait, ...options }) => {
      const items = requests.map((request, index) => readItem(request, `items[${index}].`));
      const data = encodeBatch(items);
      const { address: contract } = await findOwn(owner, address);
      const price = prices.mint * items.length;
      const measure = () => measureBatch(owner, { contract, data, price }, options);
      const call = runCall(contract, items) ?? (await batchCall(measure, owner, { contract, data, items }));
      const asked = askBatchMint(items.map(({ to }) => to));
      beforeWait();
      return submit(owner, { ...asked, contract, call, price }, options);
    },

    setMetadata: async (owner, address, { tokenId, metadata }, options) => {
      const entries = toEntries(metadata);
      const id = tokenId === null ? null : BigInt(tokenId);
      const collection = await findOwn(owner, address);
      assertMinted(collection, id);
      const { address: contract } = collection;
      const call = metadataCall(contract, id, entries);
      return submit(owner, { ...askMetadata(tokenId), contract, call, price: 0 }, options);
    },

    read: findOwn,
    list: (owner, page) => listCollections(db, owner, page),
    listTokens: async (owner, address, page) => listNfts(db, (await findOwn(owner, address)).address, page),

    mintedBy: async (intent) => {
      const first = intent.result === null ? await findFirstId(intent.number) : BigInt(intent.result);
      if (first === null) return null;
      return recipientsOf(intent).map((to, index) => ({ tokenId: first + BigInt(index), to }));
    },

    creditsOf: (intent) =>
      intent.held
        ? { cost: intent.held.amount, remaining: intent.held.remaining }
        : { cost: 0, remaining: readSandboxCredits(intent) },
  };
}

/** The first id that an intent minted. Requests that arrive together share one query. */
function createFirstIdFinder(db: Db): (intentNumber: bigint) => Promise<bigint | null> {
  return createBatcher<bigint, bigint | null>(async (numbers) => {
    const found = await findFirstIds(db, numbers);
    return numbers.map((number) => found.get(number) ?? null);
  });
}

/**
 * In the sandbox its own records are all there is; on the chain, an earlier mint may still be under way.
 * @throws AppError VALIDATION_ERROR
 */
function assertMinted({ environment, minted }: Collection, tokenId: bigint | null): void {
  const largest = environment === 'live' ? MAX_TOKEN_ID : BigInt(minted);
  if (tokenId !== null && (tokenId === 0n || tokenId > largest)) {
    throw new AppError('VALIDATION_ERROR', `tokenId ${tokenId} was never minted`);
  }
}
