/** What names a block: the number alone says nothing of its fork. */
export interface BlockId {
  number: bigint;
  /** 32 bytes, 0x-prefixed lower-case hex. */
  hash: `0x${string}`;
}

/** Whose state a call sees: the newest block's of whichever node answers, or a block's by its hash (EIP-1898). */
export type StateBlock = 'latest' | { blockHash: `0x${string}` };
