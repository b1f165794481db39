import type { CallResult } from '../../chain/abi/execution.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { settleAlreadyDone } from '../settle/already-done.ts';
import { readOutcome } from '../settle/call-outcome.ts';
import { requeueForFullGas } from '../settle/verdict.ts';
import { markSeenDone } from '../store/intent-numbers.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { PlannedCall } from './batch.ts';
import { callCap } from './gas.ts';
import type { Terms } from './simulate.ts';
import { verifyRevert } from './verify-revert.ts';
import type { RevertVerdict } from './verify-revert.ts';

/** A call that is to be sent. */
export interface ReadyCall {
  intent: QueuedIntent;
  gasCap: number;
  /** By itself, in the simulation. */
  gasUsed: number;
}

/** What a simulation means for its intents; those that are named nowhere stay in the queue. */
export interface Sorted {
  ready: ReadyCall[];
  /** How many got a verdict, or another gas cap. */
  decided: number;
  /** Contracts with a call that reverted before what it may need: it stays in the queue until that has changed. */
  premature: Set<Hex>;
}

/** Sorts what was simulated. Within a contract nothing overtakes a call that is not sent. */
export async function sortSimulated(
  lane: Lane,
  calls: readonly PlannedCall[],
  results: readonly (CallResult | null)[],
  terms: Terms,
): Promise<Sorted> {
  const sorted: Sorted = { ready: [], decided: 0, premature: new Set() };
  const stopped = new Set<Hex>();
  for (const [index, call] of calls.entries()) {
    const { intent, gasCap } = call;
    const result = results[index];
    if (stopped.has(intent.contract)) continue;
    if (result?.ok) {
      const gasUsed = Number(result.gasUsed);
      lane.gasMemory.learn(intent, gasUsed);
      sorted.ready.push({ intent, gasCap, gasUsed });
      continue;
    }
    stopped.add(intent.contract);
    if (!result) continue;
    const isBehind =
      sorted.ready.some((ready) => ready.intent.contract === intent.contract) ||
      lane.inFlight.hasOpen(intent.contract);
    const end = await settleRefused(lane, call, { result, terms, isBehind });
    if (end === 'decided' || end === 'failed') sorted.decided += 1;
    if (end === 'premature') sorted.premature.add(intent.contract);
  }
  return sorted;
}

/**
 * What becomes of a call that did not succeed in the simulation.
 * @param isBehind an earlier call of its contract is in flight, or about to be sent: a revert is no verdict yet
 */
async function settleRefused(
  lane: Lane,
  call: PlannedCall,
  { result, terms, isBehind }: { result: CallResult; terms: Terms; isBehind: boolean },
): Promise<RevertVerdict | 'decided'> {
  const { intent, gasCap } = call;
  const { number, epoch, contract, fullGas } = intent;
  const outcome = readOutcome(result, { number, epoch, fullGas, gasCap });
  if (outcome === 'already-done') {
    if (await settleAlreadyDone(lane, intent)) return 'decided';
    await markSeenDone(lane.db, intent, [number]);
    lane.blocked.coolDown(contract);
    return 'unsure';
  }
  if (outcome === 'gas-cap-used') {
    // A cap by experience may be too low for this call, to a first holder or to a contract: its estimate is next.
    lane.gasMemory.forget(intent);
    if (gasCap >= callCap(intent, intent.gasEstimate, terms.maxGas)) await requeueForFullGas(lane, number);
    return 'decided';
  }
  return isBehind ? 'premature' : verifyRevert(lane, call, terms);
}
