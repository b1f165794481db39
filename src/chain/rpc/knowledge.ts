import type { Hex } from '../../lib/hex.ts';

/**
 * An endpoint that is farther behind another one is left; one that nobody is ahead of any more after this time is
 * believed.
 */
export const MAX_LAG_MS = 8_000;
/** Rises of the newest block that are remembered. */
const MAX_RISES = 1_000;

/** What all endpoints of one chain have shown. */
export interface ChainKnowledge {
  /** Null before the chain is identified: any chain will do. */
  chainId: bigint | null;
  /** Of the block 0; null as long as any will do. */
  genesisHash: Hex | null;
  /** Address of a contract that the chain has; null as long as none need be there. */
  contract: Hex | null;
  /** Number of the newest block that any endpoint has shown. */
  readonly newestBlock: bigint;
  /** Takes note of the newest block of an endpoint. */
  shown(block: bigint): void;
  /** Whether the newest block was shown lately by any endpoint. */
  isNewestFresh(): boolean;
  /** Whether any endpoint has lately shown a block above this one. */
  isBehind(block: bigint): boolean;
  /** Milliseconds since any endpoint has shown a block above this one; 0 when none has. */
  lagMs(block: bigint): number;
  /** The chain has lost the blocks above this one. */
  lost(block: bigint): void;
  /** The newest block is shown anew: the one that is known may be of another chain. */
  forget(): void;
}

export function createKnowledge(): ChainKnowledge {
  let newestBlock = 0n;
  /** In milliseconds of `performance.now`, as all times here. */
  let shownAt = -Infinity;
  /** Since when each block, or one above it, is known. */
  let rises: { block: bigint; at: number }[] = [];
  const isNewestFresh = (): boolean => performance.now() - shownAt < MAX_LAG_MS;
  return {
    chainId: null,
    genesisHash: null,
    contract: null,
    get newestBlock() {
      return newestBlock;
    },
    shown: (block) => {
      if (block < newestBlock) return;
      shownAt = performance.now();
      if (block === newestBlock) return;
      newestBlock = block;
      rises.push({ block, at: shownAt });
      if (rises.length > MAX_RISES) rises.shift();
    },
    isNewestFresh,
    isBehind: (block) => block < newestBlock && isNewestFresh(),
    lagMs: (block) => {
      const above = rises.find((rise) => rise.block > block);
      return above ? performance.now() - above.at : 0;
    },
    lost: (block) => {
      newestBlock = block;
      rises = rises.filter((rise) => rise.block <= block);
    },
    forget: () => {
      newestBlock = 0n;
      shownAt = -Infinity;
      rises = [];
    },
  };
}
