import { findUnfinished, findTransactionStates } from '../store/transactions.ts';
import type { NonceUse, Transaction } from '../store/transactions.ts';
import { resendOpen } from './broadcast.ts';
import type { Lane } from './lane.ts';
import { LaneLost, noteProgress } from './lease.ts';

/**
 * What a new holder of a lane does first: load every transaction that is not finished, and send the open ones again.
 * The bytes are those that were stored, so whatever the last holder had sent of them, a nonce stays one transaction.
 */
export async function loadLane(lane: Lane): Promise<void> {
  const { db, log, key, inFlight, latest } = lane;
  await latest.refresh();
  for (const transaction of await findUnfinished(db, key.signer)) inFlight.add(transaction);
  const { length } = inFlight.open();
  if (length > 0) log.info({ transactions: length }, 'sending what has no verdict again');
  await resendOpen(lane);
}

/** What was stored of a lane's transactions since it was looked at. */
interface Refreshed {
  /** Whether one was mined, taken back or finished. */
  isChanged: boolean;
  /** Those that a reorg took back. */
  openAgain: Transaction[];
  /** Number of the newest block that is settled. */
  headNumber: bigint;
}

/**
 * Reads the states of the lane's transactions, which the reader stores, in whatever process it is.
 * @throws LaneLost when another program used a nonce, or a transaction is open again that was finished
 */
export async function refreshInFlight(lane: Lane): Promise<Refreshed> {
  const { db, key, inFlight, log, config } = lane;
  const ids = inFlight.unfinished.map(({ id }) => id);
  const { states, headNumber } = await findTransactionStates(db, key.signer, ids);
  // With those that were sent during the question: the answer may have them.
  const known = new Map(inFlight.unfinished.map((transaction) => [transaction.id, transaction]));
  const refreshed: Refreshed = { isChanged: false, openAgain: [], headNumber };
  for (const state of states) {
    const transaction = known.get(state.id);
    if (!transaction) {
      // One that is being sent at this moment is stored before this process knows that it is.
      if (state.nonce >= inFlight.nextNonce) continue;
      throw new LaneLost(`the transaction with nonce ${state.nonce} is open again`);
    }
    if (state.status === 'displaced') {
      log.error(
        { nonce: String(state.nonce) },
        'another program sent a transaction with the key of this signer',
      );
      throw new LaneLost('another program used nonces of this signer');
    }
    // A no-op is to take its nonce before a deep reorg may bring its epoch back.
    if (state.isVoid && !transaction.isNoop) transaction.attempts = [];
    if (state.status !== 'final' && isSame(transaction.used, state.used)) continue;
    refreshed.isChanged = true;
    transaction.used = state.used;
    if (state.status === 'final') {
      inFlight.remove(transaction);
      config.observe.finished(transaction.expectedGas, transaction.members.length);
    }
    if (state.status === 'open') refreshed.openAgain.push(transaction);
  }
  if (refreshed.isChanged) noteProgress(lane);
  return refreshed;
}

/**
 * In the same block it may be known only later which attempt was mined, and with that what the Operator did with it.
 */
const isSame = (one: NonceUse | null, other: NonceUse | null): boolean =>
  one?.block.hash === other?.block.hash && one?.hash === other?.hash;
