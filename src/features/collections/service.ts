import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import {
  encodeSetContractMetadata,
  encodeSetMetadata,
  estimateMetadataGas,
} from '../../chain/abi/metadata.ts';
import { toEntries } from '../../chain/abi/metadata-rules.ts';
import type { MetadataInput } from '../../chain/abi/metadata-rules.ts';
import {
  encodeErc721Mint,
  encodeMintBatch,
  encodeMintWithMetadata,
  estimateMintGas,
} from '../../chain/abi/mint.ts';
import type { BatchItem } from '../../chain/abi/mint.ts';
import { createBatcher } from '../../lib/batcher.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import type { Engine, Intent, IntentCall, NewIntent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Prices } from '../../plans.ts';
import { recipientsOf } from './intents.ts';
import { findCollections, findFirstIds, listCollections, listNfts } from './store.ts';
import type { Collection, Nft, Owner, Page } from './store.ts';

export type { Collection, Nft, Owner, Page };

/** How a write is carried out: `Idempotency-Key`, and whether the caller waits for the verdict. */
export type WriteOptions = Pick<NewIntent, 'idempotency'> & { respondAsync: boolean };

/** One NFT to mint. */
export interface MintRequest {
  to: string;
  metadata?: MetadataInput | undefined;
}

/** What a write cost, and what it left. */
export interface CreditsSpent {
  cost: number;
  remaining: number;
}

export interface CollectionService {
  /** Deploys a collection. @throws AppError VALIDATION_ERROR, QUOTA_EXCEEDED, DEPLOY_UNAVAILABLE */
  create(owner: Owner, request: { name: string; symbol: string }, options: WriteOptions): Promise<Intent>;
  /** Mints the next id. @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED */
  mint(owner: Owner, address: string, request: MintRequest, options: WriteOptions): Promise<Intent>;
  /**
   * Mints the next ids, all or nothing.
   * @throws AppError VALIDATION_ERROR, also for a batch too large for one transaction, NOT_FOUND, FORBIDDEN,
   *   QUOTA_EXCEEDED
   */
  mintBatch(
    owner: Owner,
    address: string,
    items: readonly MintRequest[],
    options: WriteOptions,
  ): Promise<Intent>;
  /**
   * Replaces the metadata of one NFT, or, without a token id, of the collection. Free.
   * @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN
   */
  setMetadata(
    owner: Owner,
    address: string,
    request: { tokenId: string | null; metadata: MetadataInput },
    options: WriteOptions,
  ): Promise<Intent>;
  /** An own collection. @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN */
  read(owner: Owner, address: string): Promise<Collection>;
  /** A page of own collections, newest first. */
  list(owner: Owner, page: Page): Promise<Collection[]>;
  /** A page of what was minted in an own collection, newest first. @throws AppError as `read` */
  listTokens(owner: Owner, address: string, page: Page): Promise<Nft[]>;
  /** What a confirmed mint of either kind minted, in the order in which it was asked for. */
  mintedBy(intent: Intent): Promise<{ tokenId: bigint; to: Hex }[]>;
  /** What a confirmed write cost; the same at each replay. */
  creditsOf(intent: Intent): Promise<CreditsSpent>;
}

/** Handed over by the composition root: what tokens, metering and engine do for collections. */
export interface CollectionParts {
  db: Db;
  engine: Engine;
  prices: Prices;
  /** Checks a collection and works out its call and its address. @throws AppError VALIDATION_ERROR */
  planCollection(
    owner: Owner,
    request: { name: string; symbol: string },
  ): Promise<Pick<NewIntent, 'id' | 'contract' | 'call' | 'arguments'>>;
  /** What an intent's hold took, and what it left. */
  spent(intentNumber: bigint): Promise<{ amount: number; remaining: number } | null>;
  /** Credits that are left in the running month. */
  creditsLeft(accountId: string): Promise<number>;
}

/** A call with more than this would leave too little for all else that a transaction needs (EIP-7825 caps it). */
const MAX_BATCH_GAS = 14_000_000;
/** A guess up to here is never so wrong that the call would need more than that. */
const SURELY_FITTING_GAS = 12_000_000;
/** Pools refuse transactions over 128 KiB. */
const MAX_BATCH_BYTES = 100_000;
const MAX_TOKEN_ID = 2n ** 256n - 1n;

export function createCollectionService(parts: CollectionParts): CollectionService {
  const { db, engine, prices, planCollection, spent, creditsLeft } = parts;

  const findCollection = createBatcher<Hex, Collection | null>(async (addresses) => {
    const found = new Map(
      (await findCollections(db, [...new Set(addresses)])).map((each) => [each.address, each]),
    );
    return addresses.map((address) => found.get(address) ?? null);
  });
  const findFirstId = createBatcher<bigint, bigint | null>(async (numbers) => {
    const found = await findFirstIds(db, numbers);
    return numbers.map((number) => found.get(number) ?? null);
  });

  /** An own collection. One of the other environment is as unknown as one that never was. */
  const findOwn = async (owner: Owner, address: string): Promise<Collection> => {
    const collection = await findCollection(parseAddress(address, 'address'));
    if (collection?.environment !== owner.environment) {
      throw new AppError('NOT_FOUND', 'There is no collection at this address');
    }
    if (collection.accountId !== owner.accountId) {
      throw new AppError('FORBIDDEN', 'This collection belongs to another account');
    }
    return collection;
  };

  /** The one place where the environments part: the sandbox accepts the same requests, and sends and spends nothing. */
  const submit = async (
    owner: Owner,
    request: Pick<NewIntent, 'id' | 'kind' | 'contract' | 'call' | 'arguments'> & { price: number },
    { idempotency, respondAsync }: WriteOptions,
  ): Promise<Intent> => {
    const { price, ...intent } = request;
    if (owner.environment === 'live') {
      const cost = price === 0 ? null : { meter: 'credits' as const, amount: price };
      return engine.submit({ ...intent, ...owner, cost, idempotency }, respondAsync);
    }
    const remaining = price === 0 ? null : await creditsLeft(owner.accountId);
    const sandboxed = { call: null, cost: null, arguments: { ...intent.arguments, remaining } };
    return engine.submit({ ...intent, ...owner, ...sandboxed, idempotency }, respondAsync);
  };

  const callOf = (target: Hex, data: Hex, gasEstimate: number): IntentCall => ({
    target,
    data,
    gasEstimate: Math.min(gasEstimate, MAX_BATCH_GAS),
    unpaidError: 'CHAIN_ERROR',
  });

  /** Asks the chain only where the guess leaves a doubt; the sandbox has nobody to ask and takes the guess. */
  const checkBatchGas = async (owner: Owner, target: Hex, data: Hex, estimate: number): Promise<void> => {
    if (estimate <= SURELY_FITTING_GAS) return;
    const gasUsed = owner.environment === 'live' ? await engine.measure({ target, data }) : estimate;
    if (gasUsed !== null && gasUsed > MAX_BATCH_GAS) throw batchTooLarge();
  };

  return {
    create: async (owner, request, options) => {
      const plan = await planCollection(owner, request);
      return submit(owner, { ...plan, kind: 'create_collection', price: prices.createCollection }, options);
    },

    mint: async (owner, address, request, options) => {
      const item = readItem(request, '');
      const { address: contract } = await findOwn(owner, address);
      const data =
        item.entries.length > 0 ? encodeMintWithMetadata(item.to, item.entries) : encodeErc721Mint(item.to);
      return submit(
        owner,
        {
          id: randomUUID(),
          kind: 'mint',
          contract,
          call: callOf(contract, data, estimateMintGas([item])),
          arguments: { type: 'ERC721', to: item.to },
          price: prices.mint,
        },
        options,
      );
    },

    mintBatch: async (owner, address, requests, options) => {
      const items = requests.map((request, index) => readItem(request, `items[${index}].`));
      const data = encodeMintBatch(items);
      if ((data.length - 2) / 2 > MAX_BATCH_BYTES) throw batchTooLarge();
      const { address: contract } = await findOwn(owner, address);
      const gasEstimate = estimateMintGas(items);
      await checkBatchGas(owner, contract, data, gasEstimate);
      return submit(
        owner,
        {
          id: randomUUID(),
          kind: 'batch_mint',
          contract,
          call: callOf(contract, data, gasEstimate),
          arguments: { recipients: items.map(({ to }) => to) },
          price: prices.mint * items.length,
        },
        options,
      );
    },

    setMetadata: async (owner, address, { tokenId, metadata }, options) => {
      const entries = toEntries(metadata);
      const id = tokenId === null ? null : BigInt(tokenId);
      const collection = await findOwn(owner, address);
      // In the sandbox its own records are all there is; on the chain, an earlier mint may still be under way.
      const largest = owner.environment === 'live' ? MAX_TOKEN_ID : BigInt(collection.minted);
      if (id !== null && (id === 0n || id > largest)) {
        throw new AppError('VALIDATION_ERROR', `tokenId ${id} was never minted`);
      }
      const data = id === null ? encodeSetContractMetadata(entries) : encodeSetMetadata(id, entries);
      return submit(
        owner,
        {
          id: randomUUID(),
          kind: 'set_metadata',
          contract: collection.address,
          call: callOf(collection.address, data, estimateMetadataGas(entries)),
          arguments: { tokenId },
          price: 0,
        },
        options,
      );
    },

    read: findOwn,
    list: (owner, page) => listCollections(db, owner, page),
    listTokens: async (owner, address, page) => listNfts(db, (await findOwn(owner, address)).address, page),

    mintedBy: async (intent) => {
      const first = intent.result === null ? await findFirstId(intent.number) : BigInt(intent.result);
      if (first === null) throw new Error(`intent ${intent.id} is confirmed and minted nothing`);
      return recipientsOf(intent).map((to, index) => ({ tokenId: first + BigInt(index), to }));
    },

    creditsOf: async ({ number, arguments: { remaining } }) => {
      const hold = await spent(number);
      return hold
        ? { cost: hold.amount, remaining: hold.remaining }
        : { cost: 0, remaining: remaining as number };
    },
  };
}

/** @throws AppError VALIDATION_ERROR that names the field, behind `place` */
const readItem = ({ to, metadata }: MintRequest, place: string): BatchItem & { to: Hex } => ({
  to: parseAddress(to, `${place}to`),
  entries: metadata ? toEntries(metadata, `${place}metadata.`) : [],
});

const batchTooLarge = (): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    'The batch is too large for one transaction; send fewer items or less metadata',
  );
