/** Fees of a transaction (EIP-1559), wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/**
 * First bid: twice the base fee leaves room for six full blocks in a row (the base fee rises by an eighth each).
 */
export function firstFees(baseFee: bigint, suggestedTip: bigint): Fees {
  return { maxFeePerGas: 2n * baseFee + suggestedTip, maxPriorityFeePerGas: suggestedTip };
}

/** More than ten times a first bid of now buys nothing: what keeps such a transaction out of a block is not its price. */
const MOST_OVERBID = 10n;

/**
 * A replacement that every pool takes: geth asks for 10 % more on both fees, we give 12.5 %, rounded up, and at
 * least what a first bid would be now. Null when the last bid is beyond any sense already.
 */
export function replacementFees(previous: Fees, current: Fees): Fees | null {
  if (previous.maxFeePerGas > MOST_OVERBID * current.maxFeePerGas) return null;
  const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n;
  const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  return {
    maxFeePerGas: larger(raise(previous.maxFeePerGas), current.maxFeePerGas),
    maxPriorityFeePerGas: larger(raise(previous.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
  };
}

/** Half of what geth lets a transaction cost before it refuses to send it (`--rpc.txfeecap`, 1 ether): bids can double. */
const LARGEST_FEE = 5n * 10n ** 17n;

/** Gas limit with which a first bid stays under what nodes let a transaction cost. */
export const affordableGas = ({ maxFeePerGas }: Fees): bigint => LARGEST_FEE / (maxFeePerGas || 1n);
