import type { BlockId } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Block, BlockLog } from './block.ts';

/** What a look at the chain changes of the canonical blocks. */
export interface Step {
  /** Blocks that are canonical no longer, newest first. */
  removed: readonly Block[];
  /** Blocks that became canonical, oldest first, each the child of the one before. */
  added: readonly Block[];
  /** The newest block that is final afterwards. */
  final: BlockId;
  /** The newest block afterwards. */
  head: BlockId;
  /** Whether the chain has shown no block beyond that one. */
  isLatest: boolean;
}

/** The canonical blocks from the last final one to the head, linked parent by parent. */
export interface CanonicalBlocks {
  /** The newest final block. */
  readonly final: BlockId;
  readonly head: BlockId;
  /** Place of a block: 0 for the final one; undefined for a block that is not canonical. */
  placeOf(hash: Hex): number | undefined;
  /** Everything above a place, oldest first. */
  above(place: number): readonly Block[];
  accept(step: Step): void;
  /** Adds logs that a block has, and that the search by block hash did not give. */
  addLogs(hash: Hex, logs: readonly BlockLog[]): void;
}

export function createCanonicalBlocks(first: BlockId): CanonicalBlocks {
  let newestFinal = first;
  let blocks: readonly Block[] = [];
  return {
    get final() {
      return newestFinal;
    },
    get head() {
      return blocks.at(-1) ?? newestFinal;
    },
    placeOf: (hash) => {
      if (hash === newestFinal.hash) return 0;
      const index = blocks.findIndex((block) => block.hash === hash);
      return index < 0 ? undefined : index + 1;
    },
    above: (place) => blocks.slice(place),
    accept: ({ removed, added, final }) => {
      const next = [...blocks.slice(0, blocks.length - removed.length), ...added];
      blocks = next.filter(({ number }) => number > final.number);
      newestFinal = final;
    },
    addLogs: (hash, logs) => {
      blocks = blocks.map((block) =>
        block.hash === hash ? { ...block, logs: [...block.logs, ...logs] } : block,
      );
    },
  };
}
