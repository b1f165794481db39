import { parseAddress } from '../../chain/address.ts';
import type { Db } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import { createBatcher } from '../../lib/batcher.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import { findCollections } from './store.ts';
import type { Collection } from './store.ts';

/**
 * Finds an own collection. One of the other environment counts as unknown.
 * @throws AppError VALIDATION_ERROR, NOT_FOUND, FORBIDDEN
 */
export type FindOwnCollection = (owner: Owner, address: string) => Promise<Collection>;

export function noCollection(): AppError {
  return new AppError('NOT_FOUND', 'There is no collection at this address');
}

/** Requests that arrive together share one query. */
export function createCollectionFinder(db: Db): FindOwnCollection {
  const findCollection = createBatcher<Hex, Collection | null>(async (addresses) => {
    const collections = await findCollections(db, [...new Set(addresses)]);
    const found = new Map(collections.map((collection) => [collection.address, collection]));
    return addresses.map((address) => found.get(address) ?? null);
  });
  return async ({ accountId, environment }, address) => {
    const collection = await findCollection(parseAddress(address, 'address'));
    if (collection?.environment !== environment) {
      throw noCollection();
    }
    if (collection.accountId !== accountId) {
      throw new AppError('FORBIDDEN', 'This collection belongs to another account');
    }
    return collection;
  };
}
