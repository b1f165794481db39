import type { CallResult } from '../../chain/abi/execution.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { PlannedCall } from './batch.ts';

/** A call that is to be sent. */
export interface ReadyCall {
  intent: QueuedIntent;
  gasCap: number;
  /** By itself, in the simulation. */
  gasUsed: number;
}

/** A call that did not succeed in the simulation: the only one of its contract. */
export interface RefusedCall extends PlannedCall {
  result: CallResult;
  /** In the simulation. */
  gasUsed: number;
  /** An earlier call of its contract is in flight, or about to be sent: a revert is no verdict yet. */
  isBehind: boolean;
}

/** What a simulation means for its calls; those that are named nowhere stay in the queue. */
export interface Sorted {
  ready: ReadyCall[];
  refused: RefusedCall[];
}

/** Sorts what was simulated. Within a contract nothing overtakes a call that is not sent. */
export function sortSimulated(
  lane: Pick<Lane, 'gasMemory' | 'inFlight'>,
  calls: readonly PlannedCall[],
  results: readonly (CallResult | null)[],
): Sorted {
  const sorted: Sorted = { ready: [], refused: [] };
  const stopped = new Set<Hex>();
  for (const [index, call] of calls.entries()) {
    const { intent, gasCap } = call;
    const result = results[index];
    if (stopped.has(intent.contract)) continue;
    const gasUsed = Number(result?.gasUsed);
    if (result?.ok) {
      lane.gasMemory.learn(intent, gasUsed);
      sorted.ready.push({ intent, gasCap, gasUsed });
      continue;
    }
    stopped.add(intent.contract);
    if (!result) continue;
    const isBehind =
      sorted.ready.some((ready) => ready.intent.contract === intent.contract) ||
      lane.inFlight.hasOpen(intent.contract);
    sorted.refused.push({ ...call, result, gasUsed, isBehind });
  }
  return sorted;
}
