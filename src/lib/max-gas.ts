/** The most gas that one call may use; what wants more is a revert. Metadata that it writes come on top, by their size. The one table. */
export const MAX_GAS = {
  /** With the hook of the receiver, which may be a contract. */
  mint: 1_000_000,
  /** All items together. More would leave too little for all else that a transaction needs (EIP-7825 caps it). */
  batch: 14_000_000,
  /** Three times what the dearest one uses. */
  deployment: 500_000,
  /** Everything else. */
  other: 200_000,
} as const;
