import { parseAddress } from '../../chain/address.ts';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { createBatcher } from '../../lib/batcher.ts';
import { setBounded } from '../../lib/bounded-map.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Environment, Owner } from '../../lib/owner.ts';
import { findTokens } from './store.ts';
import type { TokenRecord } from './store.ts';

export interface TokenFinder {
  /**
   * The record of an own token. One of the other environment counts as unknown.
   * @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_ERROR
   */
  findOwn(owner: Owner, address: string): Promise<TokenRecord>;
  /** The record of anybody's token on the chain. @throws AppError NOT_FOUND, VALIDATION_ERROR */
  findAny(address: string): Promise<TokenRecord>;
}

/** The record of a token never changes; only a reorg deletes one, which may be noticed so many milliseconds late. */
const TOKEN_CACHE_MS = 5_000;
const MAX_CACHED_TOKENS = 10_000;

export function createTokenFinder(db: Db): TokenFinder {
  const findToken = createTokenCache(db);

  const findIn = async (environment: Environment, address: string): Promise<TokenRecord> => {
    const token = await findToken(parseAddress(address, 'address'));
    if (token?.environment !== environment) {
      throw new AppError('NOT_FOUND', 'This service knows no token at this address');
    }
    return token;
  };

  return {
    findOwn: async ({ accountId, environment }, address) => {
      const token = await findIn(environment, address);
      if (token.accountId !== accountId) {
        throw new AppError('FORBIDDEN', 'This token belongs to another account');
      }
      return token;
    },
    findAny: (address) => findIn('live', address),
  };
}

/** Tokens by address. Requests that arrive together share one query. */
function createTokenCache(db: Db): (address: Hex) => Promise<TokenRecord | null> {
  const lookUp = createBatcher<Hex, TokenRecord | null>(async (addresses) => {
    const tokens = await findTokens(db, [...new Set(addresses)]);
    const found = new Map(tokens.map((token) => [token.address, token]));
    return addresses.map((address) => found.get(address) ?? null);
  });
  const cached = new Map<Hex, { token: TokenRecord; until: number }>();
  return async (address) => {
    const known = cached.get(address);
    if (known && performance.now() < known.until) return known.token;
    const token = await lookUp(address);
    if (!token) return null;
    const until = performance.now() + TOKEN_CACHE_MS;
    setBounded(cached, address, { token, until }, MAX_CACHED_TOKENS);
    return token;
  };
}
