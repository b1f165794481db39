import { describeRevert, isAlreadyDone, isInsufficientReceiverGas } from '../../chain/abi/reverts.ts';
import type { CallResult } from '../../chain/abi/execution.ts';
import type { Hex } from '../../lib/hex.ts';
import { goesAlone } from '../retry-policy.ts';
import type { Failure } from '../store/verdicts.ts';

/** What the result of a call means, simulated or mined. */
export type CallOutcome =
  | 'success'
  /** The Operator did this intent before, in another transaction. */
  | 'already-done'
  /** It may have failed for its gas cap and not for its reasons: with the most that it may use it may succeed. */
  | 'short-of-gas'
  | 'reverted';

/** A call whose result is read. */
interface MadeCall {
  number: bigint;
  epoch: bigint;
  gasCap: number;
  /** The most gas that it may use. */
  gasMax: number;
  tries: number;
}

/**
 * A revert is a verdict, but not of a call that had less gas than it may use and wanted more: it used up its cap, or the token
 * could not give the hook of a receiver the gas that each hook has. So a hook sees the same gas whatever the cap.
 */
export function readOutcome(result: CallResult, call: MadeCall): CallOutcome {
  if (result.ok) return 'success';
  if (isAlreadyDone(result, call.epoch, call.number)) return 'already-done';
  const hadLess = !goesAlone(call.tries) && call.gasCap < call.gasMax;
  const wantsMore = isCapUsed(result.gasUsed, call.gasCap) || isInsufficientReceiverGas(result.returnData);
  return hadLess && wantsMore ? 'short-of-gas' : 'reverted';
}

/**
 * Whether a failed call used (nearly) all of its cap. EIP-150 leaves a caller 1/64, and a receiver's caller another 1/64
 * of that.
 */
export const isCapUsed = (gasUsed: bigint, cap: number): boolean => gasUsed * 64n >= BigInt(cap) * 61n;

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
