import { broadcast, resend } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { renewLane } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import { insertAttempt } from '../store/insert-transaction.ts';
import type { Fees, Transaction } from '../store/transactions.ts';
import { cappedFees, firstFees } from './fees.ts';
import { giveUpCalls } from './free-nonces.ts';

/** New blocks without a receipt after which a transaction gets another attempt with higher fees. */
export const REPLACE_AFTER_BLOCKS = 3;
/** More than ten times a first bid of now buys nothing: what keeps such a transaction out of a block is not its price. */
const MAX_OVERBID = 10n;

/** What `replaceStuck` keeps from one block to the next. */
export interface StuckWatch {
  /** The first open transaction, and the block since which it is waited for. */
  waiting: { id: bigint; sinceBlock: bigint } | null;
}

/**
 * Looks after the first open transaction. When it saw blocks go by without it, its fees are too low: then another attempt
 * with the same nonce and calldata bids more.
 * @param headNumber of the newest block that is judged
 */
export async function replaceStuck(lane: Lane, watch: StuckWatch, headNumber: bigint): Promise<void> {
  const [first] = lane.inFlight.open();
  if (first?.id !== watch.waiting?.id)
    watch.waiting = first ? { id: first.id, sinceBlock: headNumber } : null;
  if (!first || !watch.waiting) return;
  if (headNumber - watch.waiting.sinceBlock < REPLACE_AFTER_BLOCKS) return;
  watch.waiting.sinceBlock = headNumber;
  await bidMore(lane, first);
}

async function bidMore(lane: Lane, transaction: Transaction): Promise<void> {
  await lane.head.refresh(lane.config.timings.headFreshMs);
  const { baseFee, gasLimit: blockGas } = lane.head.newest;
  if (transaction.gasLimit > blockGas) return giveUpCalls(lane, transaction);
  // A bid that cannot be paid for would only ask for more ether than the one before.
  if (!lane.funds.areEnough) return resend(lane, transaction);
  const previous = transaction.attempts.at(-1)!;
  const fees = replacementFees(previous, firstFees(baseFee, await lane.tip.read()), transaction.gasLimit);
  if (!fees) return resend(lane, transaction);
  const attempt = await signAttempt(lane, transaction, fees);
  if (!(await insertAttempt(lane.db, lane.key, transaction.id, attempt))) return renewLane(lane);
  transaction.attempts.push(attempt);
  lane.config.observe.replaced();
  lane.log.info(
    { nonce: String(transaction.nonce), hash: attempt.hash },
    'bid more for a transaction that is not mined',
  );
  await broadcast(lane, transaction);
}

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
