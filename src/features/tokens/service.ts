import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import { encodeCreation } from '../../chain/abi/factory.ts';
import { encodeErc20Mint, encodeErc721Mint } from '../../chain/abi/mint.ts';
import { TOKEN_STATE } from '../../chain/abi/token.ts';
import type { TokenState } from '../../chain/abi/token.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { deploymentSalt, predictClone } from '../../chain/system/clones.ts';
import type { System } from '../../chain/system/system-contracts.ts';
import type { BlockCache } from '../../chain/rpc/block-cache.ts';
import { createBatcher } from '../../lib/batcher.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import type { Engine, Intent, NewIntent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import { createControls } from './controls.ts';
import type { Control } from './controls.ts';
import { findTokens, listTokens } from './store.ts';
import type { TokenRecord, TokenType } from './store.ts';

export type { Control, TokenRecord, TokenState, TokenType };

/** Who asks, as far as tokens care. */
export interface Owner {
  accountId: string;
  environment: 'live' | 'sandbox';
}

/** How a write is carried out: `Idempotency-Key`, and whether the caller waits for the verdict. */
export type WriteOptions = Pick<NewIntent, 'idempotency'> & { respondAsync: boolean };

/** What a deployment was asked for; frozen in its intent, rendered in its answer. */
export interface DeploymentArguments {
  type: TokenType;
  name: string;
  symbol: string;
  /** Null for ERC-721. */
  decimals: number | null;
  /** Null for ERC-20, and when none was given. */
  baseUri: string | null;
  permissionless: boolean;
}

/** The part of a deployment's intent that follows from what is to be deployed. */
export type PlannedDeployment = Pick<NewIntent, 'id' | 'contract' | 'call' | 'arguments'>;

export interface TokenService {
  /**
   * Checks a deployment and works out its call and its address; nothing is accepted yet.
   * @throws AppError VALIDATION_ERROR, BASE_URI_TOO_LONG
   */
  planDeployment(owner: Owner, request: DeploymentArguments): Promise<PlannedDeployment>;
  /**
   * Deploys a clone whose address is known before anything is sent.
   * @throws AppError VALIDATION_ERROR, BASE_URI_TOO_LONG, QUOTA_EXCEEDED, DEPLOY_UNAVAILABLE
   */
  deploy(owner: Owner, request: DeploymentArguments, options: WriteOptions): Promise<Intent>;
  /**
   * Mints `amount` (ERC-20, smallest unit) or the next id (ERC-721, `amount` undefined) to `to`.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED
   */
  mint(
    owner: Owner,
    address: string,
    mint: { to: string; amount: string | undefined },
    options: WriteOptions,
  ): Promise<Intent>;
  /**
   * Pauses, locks, freezes, approves, and takes each of these back. Free; sends nothing when that is so already.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
   */
  control(owner: Owner, address: string, control: Control, options: WriteOptions): Promise<Intent>;
  /** The record and the state on the chain. @throws AppError NOT_FOUND, FORBIDDEN, CHAIN_ERROR */
  read(owner: Owner, address: string): Promise<{ token: TokenRecord; state: TokenState }>;
  /** A page of own tokens, newest first. */
  list(owner: Owner, page: { before: bigint | null; limit: number }): Promise<TokenRecord[]>;
  /**
   * The record of an own token. One of the other environment is as unknown as one that never was.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
   */
  findOwn(owner: Owner, address: string): Promise<TokenRecord>;
  /** The record of anybody's token on the chain. @throws AppError NOT_FOUND, VALIDATION_ERROR */
  findAny(address: string): Promise<TokenRecord>;
}

const NAME_BYTES = 64;
const SYMBOL_BYTES = 16;
const BASE_URI_BYTES = 256;
/** The contract keeps balances in 208 bits, next to what it must know of an account with each transfer. */
const MAX_AMOUNT = 2n ** 208n - 1n;
/** Gas guesses that fill a batch before its simulation; ERC-20 deployments are the dearest for their permit domain. */
const GAS = { deployErc20: 200_000, deployErc721: 150_000, mintErc20: 50_000, mintErc721: 75_000 };

/** The record of a token never changes; only a reorg takes one away, and that may be noticed so many milliseconds later. */
const TOKEN_CACHE_MS = 5_000;
const MAX_CACHED_TOKENS = 10_000;

export function createTokenService(parts: {
  db: Db;
  engine: Engine;
  rpc: Rpc;
  blockCache: BlockCache;
  system: System;
  /** Handed over from the accounts: the wallet that shall own a new token; null when the account has none. */
  walletOf(accountId: string): Promise<Hex | null>;
}): TokenService {
  const { db, engine, rpc, blockCache, system, walletOf } = parts;

  const lookUp = createBatcher<Hex, TokenRecord | null>(async (addresses) => {
    const found = new Map(
      (await findTokens(db, [...new Set(addresses)])).map((token) => [token.address, token]),
    );
    return addresses.map((address) => found.get(address) ?? null);
  });
  const remembered = new Map<Hex, { token: TokenRecord; until: number }>();
  const findToken = async (address: Hex): Promise<TokenRecord | null> => {
    const known = remembered.get(address);
    if (known && performance.now() < known.until) return known.token;
    const token = await lookUp(address);
    if (!token) return null;
    const until = performance.now() + TOKEN_CACHE_MS;
    setBounded(remembered, address, { token, until }, MAX_CACHED_TOKENS);
    return token;
  };

  const findIn = async (environment: Owner['environment'], address: string): Promise<TokenRecord> => {
    const token = await findToken(parseAddress(address, 'address'));
    if (token?.environment !== environment) {
      throw new AppError('NOT_FOUND', 'This service knows no token at this address');
    }
    return token;
  };
  const findOwn = async (owner: Owner, address: string): Promise<TokenRecord> => {
    const token = await findIn(owner.environment, address);
    if (token.accountId !== owner.accountId) {
      throw new AppError('FORBIDDEN', 'This token belongs to another account');
    }
    return token;
  };

  const planDeployment: TokenService['planDeployment'] = async ({ accountId }, request) => {
    checkDeployment(request);
    const id = randomUUID();
    const clone = {
      owner: (await walletOf(accountId)) ?? system.operator,
      permissioned: !request.permissionless,
      decimals: request.decimals ?? 0,
      name: request.name,
      symbol: request.symbol,
      baseUri: request.baseUri ?? '',
    };
    const salt = deploymentSalt(accountId, id);
    return {
      id,
      contract: predictClone(system, request.type, salt, clone),
      call: {
        target: request.type === 'ERC20' ? system.tokenFactory : system.collectionFactory,
        data: encodeCreation(request.type, salt, clone),
        gasEstimate: request.type === 'ERC20' ? GAS.deployErc20 : GAS.deployErc721,
        unpaidError: 'DEPLOY_UNAVAILABLE',
      },
      arguments: { ...request },
    };
  };

  return {
    planDeployment,

    deploy: async (owner, request, options) =>
      engine.submit(
        {
          ...(await planDeployment(owner, request)),
          ...owner,
          kind: 'deploy_token',
          cost: { meter: 'mints', amount: 1 },
          idempotency: options.idempotency,
        },
        options.respondAsync,
      ),

    mint: async (owner, address, { to, amount }, options) => {
      const recipient = parseAddress(to, 'owner');
      const token = await findOwn(owner, address);
      return engine.submit(
        {
          id: randomUUID(),
          ...owner,
          kind: 'mint',
          contract: token.address,
          call: {
            target: token.address,
            ...mintCall(token.type, recipient, amount),
            unpaidError: 'CHAIN_ERROR',
          },
          arguments: { type: token.type, to: recipient },
          cost: { meter: 'mints', amount: 1 },
          idempotency: options.idempotency,
        },
        options.respondAsync,
      );
    },

    read: async (owner, address) => {
      const token = await findOwn(owner, address);
      try {
        return { token, state: await blockCache.read(token.address, TOKEN_STATE) };
      } catch (cause) {
        throw new AppError('CHAIN_ERROR', 'The chain does not answer at the moment', { cause });
      }
    },

    list: (owner, page) => listTokens(db, owner, page),
    control: createControls({ engine, rpc, findOwn }),
    findOwn,
    findAny: (address) => findIn('live', address),
  };
}

function checkDeployment({ name, symbol, baseUri }: DeploymentArguments): void {
  if (Buffer.byteLength(name) > NAME_BYTES) {
    throw new AppError('VALIDATION_ERROR', `name is longer than ${NAME_BYTES} bytes in UTF-8`);
  }
  if (Buffer.byteLength(symbol) > SYMBOL_BYTES) {
    throw new AppError('VALIDATION_ERROR', `symbol is longer than ${SYMBOL_BYTES} bytes in UTF-8`);
  }
  if (baseUri !== null && Buffer.byteLength(baseUri) > BASE_URI_BYTES) {
    throw new AppError('BASE_URI_TOO_LONG', `baseUri is longer than ${BASE_URI_BYTES} bytes in UTF-8`);
  }
}

function mintCall(type: TokenType, to: Hex, amount: string | undefined): { data: Hex; gasEstimate: number } {
  if (type === 'ERC721') {
    if (amount !== undefined) {
      throw new AppError(
        'VALIDATION_ERROR',
        'amount belongs to ERC-20; an ERC-721 mint takes the next token id by itself',
      );
    }
    return { data: encodeErc721Mint(to), gasEstimate: GAS.mintErc721 };
  }
  if (amount === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      'amount is required for an ERC-20 token, as a decimal string in the smallest unit',
    );
  }
  if (BigInt(amount) > MAX_AMOUNT) {
    throw new AppError(
      'VALIDATION_ERROR',
      'amount is larger than a token of this service can hold, 2^208 - 1',
    );
  }
  return { data: encodeErc20Mint(to, BigInt(amount)), gasEstimate: GAS.mintErc20 };
}
