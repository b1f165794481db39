import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import { broadcast } from '../lane/broadcast.ts';
import { expectedFee } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import { noteProgress, noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import { insertTransaction } from '../store/insert-transaction.ts';
import type { TransactionDraft } from '../store/insert-transaction.ts';
import type { Member, Transaction } from '../store/transactions.ts';
import { affordBid } from './bid.ts';
import { encodeCalls } from './simulate.ts';
import { expectedGas, expectedMintsGas, gasLimitOf } from './gas.ts';
import type { ReadyCall } from './refused.ts';

/** A transaction that was stored, and its calls. */
interface Sent {
  transaction: Transaction;
  calls: readonly ReadyCall[];
}

/**
 * Signs a transaction with these calls, all of one Operator and epoch, stores it, and only then broadcasts it. When
 * intents left the queue meanwhile, or would pass others that go again, it does the same at once with the calls that
 * this does not concern: whoever cancels holds up nobody else. Returns null when nothing was stored, because it cannot
 * be paid for now or no call is left.
 * @throws LaneLost
 */
export async function sendCalls(
  lane: Lane,
  calls: readonly ReadyCall[],
  fees: Fees,
  maxGas: number,
): Promise<Sent | null> {
  const { operator, epoch } = calls[0]!.intent;
  const { calldata, areMints } = encodeCalls(calls);
  const unsigned = {
    nonce: lane.inFlight.nextNonce,
    isNoop: false,
    gasLimit: BigInt(Math.min(maxGas, gasLimitOf(lane.l1, calls, areMints))),
    operator,
    epoch,
    calldata,
  };
  const bid = await affordBid(lane, unsigned, fees);
  if (!bid) {
    // It waits alone: the contract of its first call is left out for a while, and what costs less goes before it.
    lane.blocked.coolDown(calls[0]!.intent.contract);
    return null;
  }
  const attempt = await signAttempt(lane, unsigned, bid);
  lane.config.reach('signed');
  const begin = {
    name: 'transaction',
    transaction: attempt.hash,
    isBeginning: true,
    intents: calls.map(({ intent }) => intent.id),
    details: {
      hash: attempt.hash,
      signer: lane.key.signer,
      nonce: String(unsigned.nonce),
      calls: calls.length,
    },
  };
  const members = calls.map(({ intent: { number, contract }, gasCap }) => ({ number, contract, gasCap }));
  const unsaved = {
    ...unsigned,
    expectedGas: areMints ? expectedMintsGas(calls) : expectedGas(calls),
    members,
  };
  const { transaction, left } = await lane.config.observe.step(begin, () =>
    storeAndBroadcast(lane, unsaved, {
      attempt,
      mayBeOvertaken: calls.some(({ intent }) => intent.mayBeOvertaken),
    }),
  );
  if (transaction) return { transaction, calls };
  const rest = left.length > 0 ? exceptLeft(calls, left) : [];
  return rest.length > 0 ? sendCalls(lane, rest, fees, maxGas) : null;
}

/**
 * Calls without those that left, and without what comes after these in their contracts: it was simulated after them.
 */
function exceptLeft(calls: readonly ReadyCall[], left: readonly bigint[]): ReadyCall[] {
  const stopped = new Set<Hex>();
  return calls.filter(({ intent: { number, contract } }) => {
    if (left.includes(number)) stopped.add(contract);
    return !stopped.has(contract);
  });
}

/** Stores a signed transaction, and then broadcasts it. */
export async function storeAndBroadcast(
  lane: Lane,
  unsaved: Omit<Transaction, 'id' | 'attempts' | 'used'>,
  { attempt, mayBeOvertaken }: Pick<TransactionDraft, 'attempt' | 'mayBeOvertaken'>,
): Promise<{ transaction: Transaction | null; left: readonly bigint[] }> {
  const { reach, observe } = lane.config;
  const draft = { ...unsaved, attempt, mayBeOvertaken, expectedFee: expectedFee(lane, unsaved, attempt) };
  const { transaction, left } = await lane.storeInOrder(async () => {
    // What is given up meanwhile waits for this turn, and finds what was stored.
    const passing = findPassing(lane, unsaved.members);
    if (passing.length > 0) return { transaction: null, left: passing };
    const { id, ...inserted } = await insertTransaction(lane.db, lane.key, draft);
    const stored: Transaction | null =
      id === null ? null : { ...unsaved, id, attempts: [attempt], used: null };
    if (stored) lane.inFlight.add(stored);
    return { transaction: stored, ...inserted };
  });
  if (!transaction) {
    // A cancel says nothing of the lane, however many there are.
    if (left.length === 0) await noteUnstored(lane);
    return { transaction, left };
  }
  noteStored(lane, unsaved.nonce);
  noteProgress(lane);
  reach('persisted');
  observe.sent(unsaved.members.length);
  await broadcast(lane, transaction);
  reach('broadcast');
  return { transaction, left };
}

/** Calls that would pass one of their contract that goes again: that one came back after the queue was read. */
function findPassing({ inFlight }: Lane, members: readonly Member[]): bigint[] {
  const returning = new Set(inFlight.returning());
  return members.filter(({ contract }) => returning.has(contract)).map(({ number }) => number);
}
