/**
 * What a mint uses itself, by the gas schedule of Ethereum: to a first holder, as the first one of a contract with a
 * limit.
 */
const OWN_MINT_GAS = 115_000;
/** What the hook of a receiver may use, which may be a contract. */
const HOOK_GAS = 250_000;

/**
 * The most gas that one call may use; what wants more is a revert. Metadata that it writes come on top, by their size.
 * The one table.
 */
export const MAX_GAS = {
  /** With the hook of the receiver: no more than its unit brings along, which is `GAS_PER_UNIT`. */
  mint: OWN_MINT_GAS + HOOK_GAS,
  /** All items together. More would leave too little for all else that a transaction needs (EIP-7825 caps it). */
  batch: 14_000_000,
  /** Three times what the dearest one uses. */
  deployment: 500_000,
  /** Everything else. */
  other: 200_000,
} as const;

/**
 * More than a call that is alone in its transaction has to pay of that besides itself: 21,000, calldata, a word of the
 * bitmap.
 */
const MAX_SHARE = 55_000;

/**
 * Gas that each metered unit brings along: a deployment, a mint, an item of a batch, a collection. What free writes
 * use, and metadata beyond it, draws on the gas of the day; a mint without metadata cannot.
 */
export const GAS_PER_UNIT = MAX_GAS.mint + MAX_SHARE;
