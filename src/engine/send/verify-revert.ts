import type { CallResult } from '../../chain/abi/execution.ts';
import { runsReceiver } from '../../chain/abi/mint.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused } from '../lane/pause-operator.ts';
import { describeFailure, readOutcome } from '../settle/call-outcome.ts';
import { failInTurn, requeueForFullGas } from '../settle/verdict.ts';
import { findBehind } from '../store/requeue.ts';
import type { Failure } from '../store/verdicts.ts';
import type { PlannedCall } from './batch.ts';
import { callCap, gasLimitOf } from './gas.ts';
import { isUnapprovedReceiver } from './unapproved-receiver.ts';
import { simulate } from './simulate.ts';
import type { Terms } from './simulate.ts';

/**
 * `premature`: an earlier call of the contract may still be sent, or what was signed for this one may still be mined;
 * `short-of-gas`: with all that it may use it does not revert, and goes again with that; `open`: it is to be simulated again
 * at once; `unsure`: nobody can tell for now.
 */
export type RevertVerdict = 'failed' | 'premature' | 'short-of-gas' | 'open' | 'unsure';

/**
 * The verdicts on calls that reverted in a batch, one of each contract: once more, without the others of the batch, at the
 * canonical head by its hash, since an endpoint that lags, or stays on a fork, may have answered; and what runs a receiver's
 * code with all the gas that it may use, for a receiver may revert for want of it. However many they are, they cost one look
 * at the chain and one simulation. There is none while an earlier call of the contract may still be sent.
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
  const found = cursor && (await findReverted(lane, asked, terms, cursor.head.hash));
  const verdicts = new Map<bigint, RevertVerdict>(
    numbers.map((number) => [number, behind.has(number) ? 'premature' : found ? 'open' : 'unsure']),
  );
  if (!cursor || !found) return verdicts;
  for (const { number, error } of found.reverted) {
    // What a reorg took back meanwhile goes again, and may be what this call needs; and its own bytes may be mined again.
    const isFailed = await failInTurn(lane, cursor, { number, error, transactionHash: null });
    verdicts.set(number, isFailed ? 'failed' : 'premature');
  }
  if (found.shortOfGas !== null) {
    await requeueForFullGas(lane, found.shortOfGas);
    verdicts.set(found.shortOfGas, 'short-of-gas');
  }
  return verdicts;
}

/** What calls came to at the canonical head. */
interface Found {
  /** Those that revert there too. */
  reverted: Pick<Failure, 'number' | 'error'>[];
  /** The first that does not, when it had less gas than it may use in the batch. */
  shortOfGas: bigint | null;
}

/** Null when nobody can tell. */
async function findReverted(
  lane: Lane,
  calls: readonly PlannedCall[],
  terms: Terms,
  headHash: Hex,
): Promise<Found | null> {
  const made = calls.map((call) => withMostGas(call, terms));
  const results = await simulateAt(lane, made, withPayableFees(lane, made, terms), headHash);
  if (!results) return null;
  // A call that succeeds may be what those after it fail by: they are asked again at the next look.
  const success = results.findIndex((result) => result?.ok);
  const decided = success < 0 ? results : results.slice(0, success);
  const reverted = await Promise.all(
    decided.map(async (result, index) => {
      const { intent, gasCap } = made[index]!;
      if (!result || readOutcome(result, { ...intent, gasCap }) !== 'reverted') return [];
      const isUnapproved = await isUnapprovedReceiver(lane, intent, result, headHash);
      const call = { data: intent.data, gasCap, isUnapproved };
      return [{ number: intent.number, error: describeFailure(result, call, lane.config.factories) }];
    }),
  );
  const hadLess = success >= 0 && calls[success]!.gasCap < made[success]!.gasCap;
  return { reverted: reverted.flat(), shortOfGas: hadLess ? calls[success]!.intent.number : null };
}

/** With all the gas that it may use, where a receiver's code runs that may look at it. */
function withMostGas(call: PlannedCall, { maxGas }: Terms): PlannedCall {
  const { intent } = call;
  if (!runsReceiver(intent.data)) return call;
  return {
    ...call,
    intent: { ...intent, fullGas: true },
    gasCap: callCap({ ...intent, fullGas: true }, 0, maxGas),
  };
}

/**
 * Without a bid where the signer could not pay it for so much gas, which nothing is to be sent with: else nobody would be told of a
 * revert, and what is behind it in its contract would wait, until there is more money.
 */
function withPayableFees(
  { l1, funds }: Pick<Lane, 'l1' | 'funds'>,
  calls: readonly PlannedCall[],
  terms: Terms,
): Terms {
  if (!terms.fees || calls.length === 0) return terms;
  const gas = BigInt(Math.min(terms.maxGas, gasLimitOf(l1, calls, false)));
  return gas * terms.fees.maxFeePerGas > funds.unpromised ? { ...terms, fees: null } : terms;
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
