import type { Fees } from '../../lib/fees.ts';
import { goodFees, nextBaseFee } from '../../chain/fees.ts';
import type { FeeMarket } from '../../chain/fees.ts';
import { checkFunds, costOf, promiseFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import type { Transaction } from '../store/transactions.ts';
import type { PlannedCall } from './batch.ts';
import { encodeCalls } from './simulate.ts';
import { gasLimitOf } from './gas.ts';
import { unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ChainProfile } from '../../chain/profile.ts';

/** What a new transaction bids, and the gas limit up to which that is payable with ease. */
export interface AffordableBid {
  fees: Fees;
  maxGas: number;
}

/** What blocks take, by the latest block that was read. */
export const readMarket = async ({ latest, tip }: Lane): Promise<FeeMarket> => ({
  baseFee: latest.block.baseFee,
  suggested: await tip.read(),
});

/** The bid of a new transaction; null while blocks ask for more than the profile of the chain lets one bid. */
export async function findAffordableBid(lane: Lane): Promise<AffordableBid | null> {
  const { funds, l1 } = lane;
  const { profile } = lane.config;
  await l1.refresh();
  const market = await readMarket(lane);
  const fees = firstFees(market, profile);
  noteGasPrice(lane, market, fees === null);
  if (!fees) return null;
  // What was mined meanwhile is still counted: before that makes a batch smaller, the balance is read again.
  if (funds.unpromised < fees.maxFeePerGas * BigInt(profile.maxTransactionGas)) await checkFunds(lane);
  return { fees, maxGas: maxAffordableGas(fees, profile, funds.unpromised) };
}

/** What a transaction with these calls would bid; while that is no bid that can be made, what blocks ask for. */
export async function findSimulatedFees(
  lane: Lane,
  calls: readonly PlannedCall[],
  { maxGas, bid }: { maxGas: number; bid: AffordableBid | null },
): Promise<Fees> {
  const { profile } = lane.config;
  const market = await readMarket(lane);
  const { areMints } = encodeCalls(calls);
  const gasLimit = BigInt(Math.min(maxGas, gasLimitOf(lane.l1, calls, areMints)));
  return (bid && cappedFees(bid.fees, gasLimit, market, profile)) ?? goodFees(market, profile.feeModel);
}

/** Says once that nothing new is sent because of its price, and once that it is over. */
function noteGasPrice({ funds, log, config }: Lane, { baseFee }: FeeMarket, isTooDear: boolean): void {
  if (funds.isGasTooDear === isTooDear) return;
  funds.isGasTooDear = isTooDear;
  const facts = { baseFee: String(baseFee), maxFeePerGas: String(config.profile.maxFeePerGas) };
  if (isTooDear)
    log.warn(facts, 'gas costs more than the profile of the chain lets us bid: nothing new is sent');
  else log.info(facts, 'gas costs no more than the profile of the chain lets us bid');
}

/**
 * The bid that a transaction of this gas limit gets, of which nodes take less the more gas it has; its cost is
 * promised. Null when no block would take it, or when the signer cannot pay it besides all that is open.
 */
export async function affordBid(
  lane: Lane,
  transaction: Pick<Transaction, 'gasLimit' | 'calldata'>,
  fees: Fees,
): Promise<Fees | null> {
  const bid = cappedFees(fees, transaction.gasLimit, await readMarket(lane), lane.config.profile);
  if (!bid) return null;
  return (await promiseFunds(lane, costOf(lane, transaction, bid.maxFeePerGas))) ? bid : null;
}

/**
 * Gas of a transfer without data (Ethereum Yellow Paper, appendix G); chains that count L1 data as gas say more when
 * they are asked.
 */
const TRANSFER_GAS = 21_000n;

/** What a no-op may use, and a bid that blocks take. */
export interface NoopPrice {
  gasLimit: bigint;
  fees: Fees;
}

export const findNoopPrice = async (lane: Lane): Promise<NoopPrice> => ({
  gasLimit: await transferGas(lane),
  fees: await currentFees(lane),
});

/** Beyond the profile's highest fee if it must be: what frees a nonce is worth it. */
export async function currentFees(lane: Lane): Promise<Fees> {
  await lane.latest.refresh(lane.config.timings.latestFreshMs);
  return goodFees(await readMarket(lane), lane.config.profile.feeModel);
}

/** By the rules of the chain when no endpoint estimates it; what is not used costs nothing. */
async function transferGas({ rpc, key, config, l1 }: Lane): Promise<bigint> {
  const least = TRANSFER_GAS + BigInt(l1.gas(0));
  const transfer = { from: key.signer, to: key.signer };
  const estimate = await unlessRefused(rpc.call<Hex>('eth_estimateGas', [transfer]));
  if (estimate === null) return least;
  const gas = (BigInt(estimate) * 5n) / 4n;
  return gas > TRANSFER_GAS && gas < config.profile.maxTransactionGas ? gas : TRANSFER_GAS;
}

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

/**
 * Gas limit with which a first bid costs half of what nodes let a transaction cost, so that bids can double, and no
 * more than `funds`.
 */
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
