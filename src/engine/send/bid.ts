import type { Fees } from '../../lib/fees.ts';
import { goodFees } from '../../chain/fees.ts';
import type { FeeMarket } from '../../chain/fees.ts';
import { checkFunds, costOf, promiseFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import type { Transaction } from '../store/transactions.ts';
import type { PlannedCall } from './batch.ts';
import { encodeBatch } from './encode-batch.ts';
import { cappedFees, firstFees, maxAffordableGas } from './fees.ts';
import { gasLimitOf } from './gas.ts';

/** What a new transaction bids, and the gas limit up to which that is payable with ease. */
export interface AffordableBid {
  fees: Fees;
  maxGas: number;
}

/** What blocks take, by the head that was read last. */
export const readMarket = async ({ head, tip }: Lane): Promise<FeeMarket> => ({
  baseFee: head.newest.baseFee,
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
  const { areMints } = encodeBatch(calls);
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
 * The bid that a transaction of this gas limit gets, of which nodes take less the more gas it has; its cost is promised.
 * Null when no block would take it, or when the signer cannot pay it besides all that is open.
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
