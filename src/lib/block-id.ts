/** What names a block: the number alone says nothing of its fork. */
export interface BlockId {
  number: bigint;
  /** 32 bytes, 0x-prefixed lower-case hex. */
  hash: `0x${string}`;
}

/** How far the chain is settled: everything up to `final` for good, what follows up to `head` until a reorg. */
export interface Cursor {
  final: BlockId;
  head: BlockId;
}

/** Whose state a call sees: the newest block's of whichever node answers, or a block's by its hash (EIP-1898). */
export type StateBlock = 'latest' | { blockHash: `0x${string}` };
