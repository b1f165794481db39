import type { CallResult } from '../../chain/abi/execution.ts';
import { describeRevert, isAlreadyDone } from '../../chain/abi/reverts.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Failure } from '../store/verdicts.ts';

/** What the result of a call means, simulated or mined. */
export type CallOutcome =
  | 'success'
  /** The Operator did this intent before, in another transaction. */
  | 'already-done'
  /** It may have failed for its gas cap and not for its reasons, and has a try left. */
  | 'gas-cap-used'
  | 'reverted';

export function readOutcome(
  result: CallResult,
  call: { number: bigint; epoch: bigint; gasCap: number; mayGoAgain: boolean },
): CallOutcome {
  if (result.ok) return 'success';
  if (isAlreadyDone(result, call.epoch, call.number)) return 'already-done';
  return isCapUsed(result.gasUsed, call.gasCap) && call.mayGoAgain ? 'gas-cap-used' : 'reverted';
}

/**
 * Whether a failed call used (nearly) all of its cap. EIP-150 leaves a caller 1/64, and a receiver's caller another 1/64
 * of that.
 */
const isCapUsed = (gasUsed: bigint, cap: number): boolean => gasUsed * 64n >= BigInt(cap) * 61n;

/** The error of a call that failed; one that used up its cap says so, for its own reason may be that. */
export function describeFailure(
  { gasUsed, returnData }: CallResult,
  gasCap: number,
  factories: readonly Hex[],
): Failure['error'] {
  const error = describeRevert(returnData, factories);
  if (!isCapUsed(gasUsed, gasCap)) return error;
  return { ...error, message: `${error.message}; it used up the ${gasCap} gas that it was given` };
}
