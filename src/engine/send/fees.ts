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
const MAX_OVERBID = 10n;

/**
 * A replacement that every pool takes: geth asks for 10 % more on both fees, we give 12.5 %, rounded up, and at
 * least what a first bid would be now. Null when the last bid is beyond any sense already, or the next one of a
 * transaction of this gas limit beyond what nodes take.
 */
export function replacementFees(previous: Fees, current: Fees, gasLimit: bigint): Fees | null {
  if (previous.maxFeePerGas > MAX_OVERBID * current.maxFeePerGas) return null;
  const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n;
  const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
  const least = raise(previous.maxFeePerGas);
  const fees = cappedFees(
    {
      maxFeePerGas: larger(least, current.maxFeePerGas),
      maxPriorityFeePerGas: larger(raise(previous.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
    },
    gasLimit,
  );
  return fees.maxFeePerGas < least ? null : fees;
}

/** geth refuses to send a transaction that may cost more, in wei (`--rpc.txfeecap`, 1 ether). */
const MAX_FEE_WEI = 10n ** 18n;

/** Gas limit with which a first bid costs half of what nodes let a transaction cost: bids can double. */
export const maxAffordableGas = ({ maxFeePerGas }: Fees): bigint => MAX_FEE_WEI / 2n / (maxFeePerGas || 1n);

/** The bid, or the highest below it that nodes take from a transaction of this gas limit. */
export function cappedFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, gasLimit: bigint): Fees {
  const most = MAX_FEE_WEI / gasLimit;
  const cap = (fee: bigint): bigint => (fee > most ? most : fee);
  return { maxFeePerGas: cap(maxFeePerGas), maxPriorityFeePerGas: cap(maxPriorityFeePerGas) };
}
