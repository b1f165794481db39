/** What names a block: the number alone says nothing of its fork. */
export interface BlockId {
  number: bigint;
  /** 32 bytes, 0x-prefixed lower-case hex. */
  hash: `0x${string}`;
}
