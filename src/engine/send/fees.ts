import { goodFees, nextBaseFee } from '../../chain/fees.ts';
import type { FeeMarket } from '../../chain/fees.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import type { Fees } from '../../lib/fees.ts';

/** What the profile of the chain says of money. */
export type FeeRules = Pick<ChainProfile, 'feeModel' | 'maxFeePerGas' | 'maxTransactionFee'>;

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The bid, or the highest one below it that is not beyond `most`. */
function capFees({ maxFeePerGas, maxPriorityFeePerGas }: Fees, most: bigint): Fees {
  return {
    maxFeePerGas: smaller(maxFeePerGas, most),
    maxPriorityFeePerGas: smaller(maxPriorityFeePerGas, most),
  };
}

/** Whether a transaction with this bid can be in the next block, whatever that one asks for. */
const isTakenNext = ({ maxFeePerGas }: Fees, { baseFee }: FeeMarket): boolean =>
  maxFeePerGas >= nextBaseFee(baseFee);

/** First bid of a transaction; null while blocks ask for more than the profile lets one bid. */
export function firstFees(market: FeeMarket, { feeModel, maxFeePerGas }: FeeRules): Fees | null {
  const good = goodFees(market, feeModel);
  const fees = maxFeePerGas === null ? good : capFees(good, maxFeePerGas);
  return isTakenNext(fees, market) ? fees : null;
}

/** Gas limit with which a first bid costs half of what nodes let a transaction cost, so that bids can double, and no more than `funds`. */
export function maxAffordableGas(
  { maxFeePerGas }: Fees,
  { maxTransactionFee }: FeeRules,
  funds: bigint,
): number {
  if (maxFeePerGas === 0n) return Infinity;
  return Number(smaller(maxTransactionFee / 2n, funds) / maxFeePerGas);
}

/**
 * The bid, or the highest below it that nodes take from a transaction of this gas limit; null when the next block may
 * ask for more than that.
 */
export function cappedFees(
  fees: Fees,
  gasLimit: bigint,
  market: FeeMarket,
  { maxTransactionFee }: FeeRules,
): Fees | null {
  const capped = capFees(fees, maxTransactionFee / gasLimit);
  return isTakenNext(capped, market) ? capped : null;
}

/** What every pool takes in the place of a fee: geth asks for 10 % more, this is 12.5 % more, rounded up. */
export const raiseFee = (fee: bigint): bigint => (fee * 9n) / 8n + 1n;

/** A bid that replaces an attempt in every pool, and is no lower than a good one. */
export function outbid(previous: Fees, good: Fees): Fees {
  return {
    maxFeePerGas: larger(raiseFee(previous.maxFeePerGas), good.maxFeePerGas),
    maxPriorityFeePerGas: larger(raiseFee(previous.maxPriorityFeePerGas), good.maxPriorityFeePerGas),
  };
}
