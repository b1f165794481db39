import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { settleAlreadyDone } from '../recover/already-done.ts';
import { readOutcome } from '../settle/call-outcome.ts';
import { requeueForFullGas } from '../settle/verdict.ts';
import type { Cursor } from '../store/follower.ts';
import { callCap } from './gas.ts';
import type { Terms } from './simulate.ts';
import type { RefusedCall } from './sort-simulated.ts';
import { verifyReverts } from './verify-revert.ts';

/** What became of calls that did not succeed in the simulation. */
export interface SettledCalls {
  /** How many got a verdict, or another gas cap. */
  decided: number;
  /**
   * Contracts with a call whose revert is no verdict yet: it stays queued until that has changed. `in-flight`: behind an
   * earlier call of the contract, which this lane has sent, or is about to. `in-doubt`: an earlier call, or bytes that were
   * signed for this one, may still be mined, and the lane may not hold them: the next look at once would find the same.
   */
  premature: Map<Hex, 'in-flight' | 'in-doubt'>;
}

/** Settles what a simulation refused, as far as that can be done now. */
export async function settleRefused(
  lane: Lane,
  refused: readonly RefusedCall[],
  terms: Terms,
): Promise<SettledCalls> {
  const settled: SettledCalls = { decided: 0, premature: new Map() };
  const reverted: RefusedCall[] = [];
  // One look at the chain is for all that is done already.
  let cursor: Promise<Cursor | null> | undefined;
  for (const call of refused) {
    const { intent, gasCap, result, isBehind } = call;
    const outcome = readOutcome(result, { ...intent, gasCap });
    if (outcome === 'already-done') {
      cursor ??= lane.chain.fresh();
      if (await settleAlreadyDone(lane, await cursor, intent)) settled.decided += 1;
      else lane.blocked.coolDown(intent.contract);
    } else if (outcome === 'short-of-gas') {
      // A cap by experience may be too low for this call, to a first holder or to a contract: its estimate is next.
      lane.gasMemory.forget(intent);
      if (gasCap >= callCap(intent, intent.gasEstimate, terms.maxGas))
        await requeueForFullGas(lane, intent.number);
      settled.decided += 1;
    } else if (isBehind) settled.premature.set(intent.contract, 'in-flight');
    else reverted.push(call);
  }
  const verdicts = await verifyReverts(lane, reverted, terms);
  for (const { intent } of reverted) {
    const verdict = verdicts.get(intent.number);
    if (verdict === 'failed') settled.decided += 1;
    if (verdict === 'premature') settled.premature.set(intent.contract, 'in-doubt');
    if (verdict === 'unsure') lane.blocked.coolDown(intent.contract);
  }
  return settled;
}
