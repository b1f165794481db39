import type { CallResult } from '../../chain/abi/execution.ts';
import { isAlreadyDone } from '../../chain/abi/reverts.ts';

/** What the result of a call means, simulated or mined. */
export type CallOutcome =
  | 'success'
  /** The Operator did this intent before, in another transaction. */
  | 'already-done'
  /** It may have failed for its gas cap and not for its reasons; it was not given all the gas that there is. */
  | 'gas-cap-used'
  | 'reverted';

export function readOutcome(
  result: CallResult,
  call: { number: bigint; epoch: bigint; gasCap: number; fullGas: boolean },
): CallOutcome {
  if (result.ok) return 'success';
  if (isAlreadyDone(result, call.epoch, call.number)) return 'already-done';
  return isCapUsed(result.gasUsed, call.gasCap) && !call.fullGas ? 'gas-cap-used' : 'reverted';
}

/**
 * Whether a failed call used (nearly) all of its cap. EIP-150 leaves a caller 1/64, and a receiver's caller another 1/64
 * of that.
 */
const isCapUsed = (gasUsed: bigint, cap: number): boolean => gasUsed * 64n >= BigInt(cap) * 61n;
