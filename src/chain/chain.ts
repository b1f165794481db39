import type { Hex } from '../lib/hex.ts';
import type { ChainProfile } from './profile.ts';
import type { BlockCache } from './rpc/block-cache.ts';
import type { Rpc } from './rpc/rpc.ts';
import type { System } from './system/system-contracts.ts';

/** Address of a transaction's page in the explorer. */
export type ExplorerUrl = (transactionHash: string) => string;

/**
 * A chain with all that is used of it. What opens it, and the schema (`chain`, `reader`), know that the service has
 * only one.
 */
export interface Chain {
  chainId: bigint;
  rpc: Rpc;
  profile: ChainProfile;
  /** The service's contracts on it. */
  system: System;
  /** Operators beside that of `system`, through which older contracts of this database are called. */
  formerOperators: readonly Hex[];
  /** Caches what calls return at its newest block. */
  blockCache: BlockCache;
  explorerUrl: ExplorerUrl;
}

/** @param explorer the address that EXPLORER_URL names, without a slash at its end */
export function createExplorerUrl(explorer: string): ExplorerUrl {
  return (hash) => `${explorer}/tx/${hash}`;
}
