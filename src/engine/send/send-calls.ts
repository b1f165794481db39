import { encodeExecution } from '../../chain/abi/execution.ts';
import { broadcast } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { renewLane } from '../lane/lease.ts';
import { signAttempt } from '../lane/sign.ts';
import { insertTransaction } from '../store/insert-transaction.ts';
import type { Attempt, Fees, Transaction } from '../store/transactions.ts';
import { expectedGas, gasLimitOf } from './gas.ts';
import { toOperatorCall } from './simulate.ts';
import type { ReadyCall } from './sort-simulated.ts';

/**
 * Signs a transaction with these calls, stores it, and only then broadcasts it. Returns null when an intent of it left
 * the queue meanwhile: then nothing was stored. @throws LaneLost
 */
export async function sendCalls(
  lane: Lane,
  calls: readonly ReadyCall[],
  fees: Fees,
  maxGas: number,
): Promise<Transaction | null> {
  const slot = {
    nonce: lane.inFlight.nextNonce,
    gasLimit: BigInt(Math.min(maxGas, gasLimitOf(calls))),
    calldata: encodeExecution(calls.map(({ intent, gasCap }) => toOperatorCall(intent, gasCap))),
  };
  const attempt = await signAttempt(lane, slot, fees);
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
    await renewLane(lane);
    return null;
  }
  reach('persisted');
  observe.sent(unsaved.members.length);
  const transaction: Transaction = { ...unsaved, id, attempts: [attempt], mined: null };
  lane.inFlight.add(transaction);
  await broadcast(lane, transaction);
  reach('broadcast');
  return transaction;
}
