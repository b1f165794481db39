import type { Fees } from '../store/transactions.ts';

/**
 * First bid: twice the base fee leaves room for six full blocks in a row (the base fee rises by an eighth each).
 */
export function firstFees(baseFee: bigint, suggestedTip: bigint): Fees {
  return { maxFeePerGas: 2n * baseFee + suggestedTip, maxPriorityFeePerGas: suggestedTip };
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
