import type { CallResult } from '../../chain/abi/execution.ts';
import type { Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { isDeployment } from '../intent.ts';
import type { Lane } from '../lane/lane.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { PlannedCall } from './batch.ts';
import { settleAlreadyDone } from './already-done.ts';
import { readOutcome, describeFailure } from '../verdict/finished.ts';
import { requeueForFullGas, failUnlessPremature } from '../verdict/verdict.ts';
import { callCap } from './gas.ts';
import type { GasOffer } from './simulate.ts';
import { simulate } from './simulate.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { ExecutionRefused } from '../lane/pause.ts';
import { findBehind } from '../store/requeue.ts';
import type { Failure } from '../store/verdicts.ts';

/** A call that is to be sent. */
export interface ReadyCall {
  intent: QueuedIntent;
  gasCap: number;
  /** By itself, in the simulation. */
  gasUsed: number;
}

/**
 * A call that did not succeed in the simulation. Of its contract nothing is before it but what is to be sent, and
 * others of that kind.
 */
export interface RefusedCall extends PlannedCall {
  result: CallResult;
  /** In the simulation. */
  gasUsed: number;
  /** An earlier call of its contract is in flight, or about to be sent: a revert is no verdict yet. */
  isBehind: boolean;
}

/** What a simulation means for its calls; those that are named nowhere stay in the queue. */
interface SimulatedCalls {
  ready: ReadyCall[];
  refused: RefusedCall[];
}

/**
 * Sorts what was simulated. Within a contract nothing overtakes a call that is not sent: what succeeds behind one stays
 * in the queue.
 */
export function sortSimulated(
  lane: Pick<Lane, 'gasMemory' | 'inFlight'>,
  calls: readonly PlannedCall[],
  results: readonly (CallResult | null)[],
): SimulatedCalls {
  const sorted: SimulatedCalls = { ready: [], refused: [] };
  const stopped = new Set<Hex>();
  const left = new Set<Hex>();
  for (const [index, call] of calls.entries()) {
    const { intent, gasCap } = call;
    const result = results[index];
    if (left.has(intent.contract)) continue;
    if (!result || (result.ok && stopped.has(intent.contract))) {
      left.add(intent.contract);
      continue;
    }
    const gasUsed = Number(result.gasUsed);
    if (result.ok) {
      lane.gasMemory.learn(intent, gasUsed);
      sorted.ready.push({ intent, gasCap, gasUsed });
      continue;
    }
    stopped.add(intent.contract);
    const isBehind =
      sorted.ready.some((ready) => ready.intent.contract === intent.contract) ||
      lane.inFlight.hasOpen(intent.contract);
    sorted.refused.push({ ...call, result, gasUsed, isBehind });
  }
  return sorted;
}

/** What became of calls that did not succeed in the simulation. */
interface SettledCalls {
  /** How many got a verdict, or another gas cap. */
  decided: number;
  /**
   * Contracts with a call whose revert is no verdict yet: it stays queued until that has changed. `in-flight`: behind
   * an earlier call of the contract, which this lane has sent, or is about to. `out-of-sight`: an earlier call, or
   * bytes that were signed for this one, may still be mined, and the lane may not hold them: the next look at once
   * would find the same.
   */
  premature: Map<Hex, 'in-flight' | 'out-of-sight'>;
}

/** So many reverts are settled at one look, a database transaction each: everybody else waits for it. */
const MAX_REVERTS = 40;

/** Settles what a simulation refused, as far as that can be done now. */
export async function settleRefused(
  lane: Lane,
  refused: readonly RefusedCall[],
  offer: GasOffer,
): Promise<SettledCalls> {
  const settled: SettledCalls = { decided: 0, premature: new Map() };
  const reverted: RefusedCall[] = [];
  /** Contracts with a call that may succeed yet, which may change what becomes of those behind it. */
  const open = new Set<Hex>();
  // One look at the chain is for all that is done already.
  let cursor: Cursor | null | undefined;
  let askedUntil = Infinity;
  for (const call of refused) {
    const { intent, gasCap, result, isBehind } = call;
    if (open.has(intent.contract)) continue;
    const outcome = readOutcome(result, { ...intent, gasCap });
    if (outcome === 'reverted' && !isBehind) {
      if (reverted.length < MAX_REVERTS) reverted.push(call);
      continue;
    }
    open.add(intent.contract);
    if (outcome === 'already-done') {
      if (cursor === undefined) {
        cursor = await lane.chain.fresh();
        askedUntil = performance.now() + lane.config.timings.askMs;
      }
      if (await settleAlreadyDone(lane, cursor, intent)) settled.decided += 1;
      else lane.blocked.coolDown(intent.contract);
      // What else is done already is noted as in doubt, so that nobody cancels it; the next turns ask for it.
      if (performance.now() >= askedUntil) cursor = null;
    } else if (outcome === 'short-of-gas') {
      // A cap by experience may be too low for this call, to a first holder or to a contract: its estimate is next.
      lane.gasMemory.forget(intent);
      if (gasCap >= callCap(intent, intent.gasEstimate, offer.maxGas))
        await requeueForFullGas(lane, intent.number);
      settled.decided += 1;
    } else settled.premature.set(intent.contract, 'in-flight');
  }
  const verdicts = await verifyReverts(lane, reverted, offer);
  for (const { intent } of reverted) {
    const verdict = verdicts.get(intent.number);
    if (verdict === 'failed') settled.decided += 1;
    if (verdict === 'premature') settled.premature.set(intent.contract, 'out-of-sight');
    if (verdict === 'not-yet') lane.blocked.coolDown(intent.contract);
  }
  return settled;
}

/**
 * `premature`: an earlier call of the contract may still be sent, or what was signed for this one may still be mined;
 * `open`: it is to be simulated again at once; `not-yet`: nobody can tell for now.
 */
type RevertVerdict = 'failed' | 'premature' | 'open' | 'not-yet';

/**
 * The verdicts on calls that reverted in a batch, one of each contract: once more, without the others of the batch, at
 * the canonical head by its hash, since an endpoint that lags, or stays on a fork, may have answered. However many they
 * are, they cost one look at the chain and one simulation. There is none while an earlier call of the contract may
 * still be sent.
 */
async function verifyReverts(
  lane: Lane,
  calls: readonly PlannedCall[],
  offer: GasOffer,
): Promise<Map<bigint, RevertVerdict>> {
  const numbers = calls.map(({ intent }) => intent.number);
  const behind = await findBehind(lane.db, numbers);
  const asked = calls.filter(({ intent }) => !behind.has(intent.number));
  // The owner of a contract may have changed it in a block that was not read, since nothing was in flight.
  const cursor = asked.length > 0 ? await lane.chain.fresh() : null;
  const reverted = cursor && (await findReverted(lane, asked, offer, cursor.head.hash));
  const verdicts = new Map<bigint, RevertVerdict>(
    numbers.map((number) => [number, behind.has(number) ? 'premature' : reverted ? 'open' : 'not-yet']),
  );
  if (!cursor || !reverted) return verdicts;
  for (const { number, error } of reverted) {
    // What a reorg took back meanwhile goes again, and may be what this call needs; and its own bytes may be mined
    // again.
    const isFailed = await failUnlessPremature(lane, cursor, { number, error, transactionHash: null });
    verdicts.set(number, isFailed ? 'failed' : 'premature');
  }
  return verdicts;
}

/** The calls that revert at the canonical head too; null when nobody can tell. */
async function findReverted(
  lane: Lane,
  calls: readonly PlannedCall[],
  offer: GasOffer,
  headHash: Hex,
): Promise<Pick<Failure, 'number' | 'error'>[] | null> {
  const results = await simulateAt(lane, calls, offer, headHash);
  if (!results) return null;
  // A call that succeeds may be what those after it fail by: they are asked again at the next look.
  const success = results.findIndex((result) => result?.ok);
  const decided = success < 0 ? results : results.slice(0, success);
  return decided.flatMap((result, index) => {
    const { intent, gasCap } = calls[index]!;
    if (!result || readOutcome(result, { ...intent, gasCap }) !== 'reverted') return [];
    return [
      {
        number: intent.number,
        error: describeFailure(result, { gasCap, isDeployment: isDeployment(intent) }),
      },
    ];
  });
}

/**
 * Simulates calls at a block by hash; null when the endpoint does not have that block, or nothing is executed there.
 */
async function simulateAt(
  lane: Lane,
  calls: readonly PlannedCall[],
  offer: GasOffer,
  blockHash: Hex,
): Promise<(CallResult | null)[] | null> {
  try {
    return await simulate(lane, calls, offer, { blockHash });
  } catch (error) {
    if (error instanceof RpcRefused || error instanceof ExecutionRefused) return null;
    throw error;
  }
}
