import type { CallResult } from '../../chain/abi/execution.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused } from '../lane/pause-operator.ts';
import { describeFailure, readOutcome } from '../settle/call-outcome.ts';
import { failInTurn } from '../settle/verdict.ts';
import { findBehind } from '../store/requeue.ts';
import type { Failure } from '../store/verdicts.ts';
import type { PlannedCall } from './batch.ts';
import { simulate } from './simulate.ts';
import type { Terms } from './simulate.ts';

/**
 * `premature`: an earlier call of the contract may still be sent, or what was signed for this one may still be mined;
 * `open`: it is to be simulated again at once; `unsure`: nobody can tell for now.
 */
export type RevertVerdict = 'failed' | 'premature' | 'open' | 'unsure';

/**
 * The verdicts on calls that reverted in a batch, one of each contract: once more, without the others of the batch, at the
 * canonical head by its hash, since an endpoint that lags, or stays on a fork, may have answered. However many they are, they
 * cost one look at the chain and one simulation. There is none while an earlier call of the contract may still be sent.
 */
export async function verifyReverts(
  lane: Lane,
  calls: readonly PlannedCall[],
  terms: Terms,
): Promise<Map<bigint, RevertVerdict>> {
  const numbers = calls.map(({ intent }) => intent.number);
  const behind = await findBehind(lane.db, numbers);
  const asked = calls.filter(({ intent }) => !behind.has(intent.number));
  // The owner of a contract may have changed it in a block that was not read, since nothing was in flight.
  const cursor = asked.length > 0 ? await lane.chain.fresh() : null;
  const reverted = cursor && (await findReverted(lane, asked, terms, cursor.head.hash));
  const verdicts = new Map<bigint, RevertVerdict>(
    numbers.map((number) => [number, behind.has(number) ? 'premature' : reverted ? 'open' : 'unsure']),
  );
  if (!cursor || !reverted) return verdicts;
  for (const { number, error } of reverted) {
    // What a reorg took back meanwhile goes again, and may be what this call needs; and its own bytes may be mined again.
    const isFailed = await failInTurn(lane, cursor, { number, error, transactionHash: null });
    verdicts.set(number, isFailed ? 'failed' : 'premature');
  }
  return verdicts;
}

/** The calls that revert at the canonical head too; null when nobody can tell. */
async function findReverted(
  lane: Lane,
  calls: readonly PlannedCall[],
  terms: Terms,
  headHash: Hex,
): Promise<Pick<Failure, 'number' | 'error'>[] | null> {
  const results = await simulateAt(lane, calls, terms, headHash);
  if (!results) return null;
  // A call that succeeds may be what those after it fail by: they are asked again at the next look.
  const success = results.findIndex((result) => result?.ok);
  const decided = success < 0 ? results : results.slice(0, success);
  return decided.flatMap((result, index) => {
    const { intent, gasCap } = calls[index]!;
    if (!result || readOutcome(result, { ...intent, gasCap }) !== 'reverted') return [];
    return [{ number: intent.number, error: describeFailure(result, gasCap, lane.config.factories) }];
  });
}

/** Simulates calls at a block by hash; null when the endpoint does not have that block, or nothing is executed there. */
async function simulateAt(
  lane: Lane,
  calls: readonly PlannedCall[],
  terms: Terms,
  blockHash: Hex,
): Promise<(CallResult | null)[] | null> {
  try {
    return await simulate(lane, calls, terms, { blockHash });
  } catch (error) {
    if (error instanceof RpcRefused || error instanceof ExecutionRefused) return null;
    throw error;
  }
}
