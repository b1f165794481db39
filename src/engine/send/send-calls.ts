import { encodeExecution } from '../../chain/abi/execution.ts';
import type { Fees } from '../../lib/fees.ts';
import { broadcast } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { noteStored, noteUnstored } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import { insertTransaction } from '../store/insert-transaction.ts';
import type { Attempt, Transaction } from '../store/transactions.ts';
import { affordBid } from './bid.ts';
import { expectedGas, gasLimitOf } from './gas.ts';
import { toOperatorCall } from './simulate.ts';
import type { ReadyCall } from './sort-simulated.ts';

/**
 * Signs a transaction with these calls, all of one Operator and epoch, stores it, and only then broadcasts it. Returns
 * null when nothing was stored, because it cannot be paid for now or an intent of it left the queue meanwhile.
 * @throws LaneLost
 */
export async function sendCalls(
  lane: Lane,
  calls: readonly ReadyCall[],
  fees: Fees,
  maxGas: number,
): Promise<Transaction | null> {
  const { operator, epoch } = calls[0]!.intent;
  const slot = {
    nonce: lane.inFlight.nextNonce,
    isNoop: false,
    gasLimit: BigInt(Math.min(maxGas, gasLimitOf(lane.l1, calls))),
    operator,
    epoch,
    calldata: encodeExecution(
      epoch,
      calls.map(({ intent, gasCap }) => toOperatorCall(intent, gasCap)),
    ),
  };
  const bid = await affordBid(lane, slot, fees);
  if (!bid) {
    // It waits alone: the contract of its first call is left out for a while, and what costs less goes before it.
    lane.blocked.coolDown(calls[0]!.intent.contract);
    return null;
  }
  const attempt = await signAttempt(lane, slot, bid);
  lane.config.reach('signed');
  const begin = {
    name: 'transaction',
    transaction: attempt.hash,
    isBeginning: true,
    intents: calls.map(({ intent }) => intent.id),
    details: {
      hash: attempt.hash,
      signer: lane.key.signer,
      nonce: String(slot.nonce),
      calls: calls.length,
    },
  };
  const members = calls.map(({ intent: { number, contract, fullGas }, gasCap }) => ({
    number,
    contract,
    gasCap,
    fullGas,
  }));
  const unsaved = { ...slot, expectedGas: expectedGas(calls.map(({ gasUsed }) => gasUsed)), members };
  return lane.config.observe.step(begin, () => storeAndBroadcast(lane, unsaved, attempt));
}

async function storeAndBroadcast(
  lane: Lane,
  unsaved: Omit<Transaction, 'id' | 'attempts' | 'mined'>,
  attempt: Attempt,
): Promise<Transaction | null> {
  const { reach, observe } = lane.config;
  const id = await insertTransaction(lane.db, lane.key, { ...unsaved, attempt });
  if (id === null) {
    // The lane was lost, or an intent was cancelled meanwhile: only the first is the end of it.
    await noteUnstored(lane);
    return null;
  }
  noteStored(lane, unsaved.nonce);
  reach('persisted');
  observe.sent(unsaved.members.length);
  const transaction: Transaction = { ...unsaved, id, attempts: [attempt], mined: null };
  lane.inFlight.add(transaction);
  await broadcast(lane, transaction);
  reach('broadcast');
  return transaction;
}
