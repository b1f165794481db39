import { goodFees } from '../../chain/fees.ts';
import type { FeeMarket } from '../../chain/fees.ts';
import type { Fees } from '../../lib/fees.ts';
import { broadcast, resend } from '../lane/broadcast.ts';
import { costOf, promiseFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import { noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import { insertAttempt } from '../store/insert-transaction.ts';
import type { Transaction } from '../store/transactions.ts';
import { cappedFees, outbid, raiseFee, readMarket } from './bid.ts';
import type { FeeRules } from './bid.ts';
import { giveUpCalls } from './free-nonces.ts';

/** New blocks after which a transaction that is in none of them gets another attempt with higher fees. */
export const REPLACE_AFTER_BLOCKS = 3;
/**
 * More than ten times a good bid of now buys nothing: what keeps such a transaction out of a block is not its price.
 */
const MAX_OVERBID = 10n;

/** What `replaceStuck` keeps from one block to the next. */
export interface StuckWatch {
  /**
   * The first open transaction; when, by `performance.now`, and at which block it became that; and the block since
   * which its last bid is waited for.
   */
  first: { id: bigint; at: number; block: bigint; bidBlock: bigint } | null;
}

/**
 * Looks after the first open transaction. When it saw blocks go by without it, its fees are too low: then another
 * attempt with the same nonce and calldata bids more. So do at once those behind it that bid less than a block takes,
 * or than other bytes in the pool: each of them would keep all that is behind it waiting as long.
 * @param headNumber of the newest block that is settled
 */
export async function replaceStuck(lane: Lane, watch: StuckWatch, headNumber: bigint): Promise<void> {
  const [first] = lane.inFlight.open();
  const begun = { at: performance.now(), block: headNumber, bidBlock: headNumber };
  if (first?.id !== watch.first?.id) watch.first = first ? { id: first.id, ...begun } : null;
  if (!first || !watch.first) return;
  if (headNumber - watch.first.bidBlock < REPLACE_AFTER_BLOCKS) return;
  watch.first.bidBlock = headNumber;
  await bidMore(lane, first);
  const { baseFee } = lane.latest.block;
  const waits = (one: Transaction): boolean => one.isOutbid === true || bidsBelow(one, baseFee);
  for (const transaction of lane.inFlight.open().filter((one) => one !== first && waits(one)))
    // What a bid gave up took those behind it along.
    if (lane.inFlight.open().includes(transaction) && waits(transaction)) await bidMore(lane, transaction);
}

const bidsBelow = ({ attempts }: Transaction, baseFee: bigint): boolean =>
  attempts.at(-1) !== undefined && attempts.at(-1)!.maxFeePerGas < baseFee;

/** Sends another attempt with higher fees, or frees the nonce when none is of use. */
export async function bidMore(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.latest.refresh(lane.config.timings.latestFreshMs);
  const { feeModel } = lane.config.profile;
  if (transaction.gasLimit > lane.latest.block.gasLimit) return giveUpCalls(lane, transaction);
  // A bid that cannot be paid for would only ask for more ether than the one before.
  if (!lane.funds.areEnough) return resend(lane, transaction);
  const previous = transaction.attempts.at(-1);
  if (!previous) return giveUpCalls(lane, transaction);
  const market = await readMarket(lane);
  const fees = replacementFees(previous, market, transaction.gasLimit, lane.config.profile);
  if (!fees) {
    const isOverCap = !isBeyondSense(previous, goodFees(market, feeModel));
    // Nodes take no bid from so much gas that a block takes: a transfer costs little enough.
    return isOverCap && feeModel !== 'none' && !transaction.isNoop
      ? giveUpCalls(lane, transaction)
      : resend(lane, transaction);
  }
  const more =
    costOf(lane, transaction, fees.maxFeePerGas) - costOf(lane, transaction, previous.maxFeePerGas);
  if (!(await promiseFunds(lane, more))) return resend(lane, transaction);
  const attempt = await signAttempt(lane, transaction, fees);
  if (!(await insertAttempt(lane.db, lane.key, transaction.id, attempt))) return noteUnstored(lane);
  noteStored(lane, transaction.nonce);
  transaction.attempts.push(attempt);
  lane.config.observe.replaced();
  lane.log.info(
    { nonce: String(transaction.nonce), hash: attempt.hash },
    'bid more for a transaction that is not mined',
  );
  await broadcast(lane, transaction);
}

/**
 * A replacement that every pool takes, even beyond the profile's highest fee per gas, since it frees what is stuck.
 * Null when the last bid is beyond any sense already, when nodes take no such bid from a transaction of this gas limit,
 * or none that a block takes, and where gas costs nothing.
 */
export function replacementFees(
  previous: Fees,
  market: FeeMarket,
  gasLimit: bigint,
  rules: FeeRules,
): Fees | null {
  if (rules.feeModel === 'none') return null;
  const current = goodFees(market, rules.feeModel);
  if (isBeyondSense(previous, current)) return null;
  const fees = cappedFees(outbid(previous, current), gasLimit, market, rules);
  return fees && fees.maxFeePerGas >= raiseFee(previous.maxFeePerGas) ? fees : null;
}

/** Whether the bid is far higher than a good one, with a tip that is not too low either. */
const isBeyondSense = (previous: Fees, current: Fees): boolean =>
  previous.maxFeePerGas > MAX_OVERBID * current.maxFeePerGas &&
  previous.maxPriorityFeePerGas >= current.maxPriorityFeePerGas;
