import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { afterTooLittleGas, afterWholeRevert, goesAlone } from '../retry-policy.ts';
import { findUndecidedMembers } from '../store/mined.ts';
import type { FinishedTransaction, UndecidedMember } from '../store/mined.ts';
import { findBehind, findDoneTooSoon, leaveToUnfinished, requeueMembers, unchanged } from '../store/requeue.ts';
import type { Requeue } from '../store/requeue.ts';
import { failIntents } from '../store/verdicts.ts';
import type { Failure, ChangedIntent } from '../store/verdicts.ts';
import type { Execution, GasShares } from './receipts.ts';
import type { Lookups } from './verdict.ts';
import { describeRevert, isAlreadyDone, isInsufficientReceiverGas } from '../../chain/abi/reverts.ts';
import type { CallResult } from '../../chain/abi/execution.ts';

const LONE_FAILURE = {
  code: 'CHAIN_ERROR',
  message: 'The transaction was reverted as a whole, twice',
} as const;

/** What came of one call. */
type ShownCall = Omit<Execution, 'operator' | 'key'>;

/** What the end of transactions means for the calls in them that did not succeed. */
interface UnsuccessfulCalls {
  /** With an event. */
  failures: Failure[];
  retries: Requeue[];
  /** Those of the retries whose nonce nobody has shown the use of: it may have been an attempt of this very transaction. */
  lost: Set<bigint>;
  /** Those of the retries that were alone in a transaction which was reverted as a whole. */
  lone: Set<bigint>;
  /** Those of them that have no retry left. */
  hopeless: Failure[];
}

/**
 * Settles the calls of finished transactions that have no success: their nonces are used for good, so nothing of them
 * can happen any more. A revert is a failure unless an earlier call of its contract goes again, or was done later; so is
 * the second whole revert of a lone call. The rest goes again, or is overtaken (send/leave-overtaken.ts). What would
 * fail, and is in another transaction that may still be mined, is left to the end of that one. Returns what failed.
 *
 * An event that an endpoint does not show may be on the chain all the same: what would fail without one goes again when its
 * bit is set, and the next simulation finds what it came to. So does what lost its nonce, as it seems, what the Operator
 * says that it did before, and what is of an epoch that is over: until then nobody may cancel it.
 * @param isMeant which intents it is about
 */
export async function settleFinished(
  tx: Tx,
  { bits, shares, lostNonces }: Lookups,
  finished: readonly FinishedTransaction[],
  executions: readonly ShownCall[],
  isMeant: (number: bigint) => boolean,
): Promise<ChangedIntent[]> {
  const incomplete = withoutFullSuccess(finished, executions);
  const undecided = await findUndecidedMembers(
    tx,
    incomplete.map(({ id }) => id),
  );
  const members = undecided.filter(({ number }) => isMeant(number));
  if (members.length === 0) return [];
  const sorted = sortMembers(members, incomplete, executions, shares);
  const reverted = sorted.failures.map(({ number }) => number);
  const left = await leaveToUnfinished(tx, [...reverted, ...sorted.lone]);
  const failures = sorted.failures.filter(({ number }) => !left.has(number));
  const hopeless = sorted.hopeless.filter(({ number }) => !left.has(number));
  const doomed = new Set(hopeless.map(({ number }) => number));
  const failing = new Set([...failures, ...hopeless].map(({ number }) => number));
  // Bytes that lost their nonce, as it seems, may have done them since, or do them yet; so may bytes that are not known.
  const unproven = members.filter(({ number, isUnproven }) => isUnproven && failing.has(number));
  const unsure = members.filter(({ number, isUnsure }) => isUnsure && failing.has(number));
  const eventless = members.filter(({ number }) => doomed.has(number) || sorted.lost.has(number));
  const done = bits.findDone([...eventless, ...unproven]);
  if (unproven.length > 0 && lostNonces.mayBeMined()) for (const { number } of unproven) done.add(number);
  for (const { number } of unsure) done.add(number);
  await requeueMembers(tx, [
    ...sorted.retries.filter(({ number }) => !left.has(number) && !doomed.has(number) && !done.has(number)),
    ...[...done].map((number) => ({ ...unchanged(number), inDoubt: true })),
  ]);
  // A call that failed while an earlier one of its contract goes again, or was done later, may have needed that one.
  const numbers = failures.map(({ number }) => number).filter((number) => !done.has(number));
  const behind = await findBehind(tx, numbers);
  const ids = finished.map(({ id }) => id);
  for (const number of await findDoneTooSoon(tx, numbers, ids)) behind.add(number);
  await requeueMembers(tx, [...behind].map(unchanged));
  // What went back into the queue is not submitted any more.
  return failIntents(tx, [...failures, ...hopeless], ['submitted']);
}

/** Transactions with a call that failed, and those of which not every call has an event. */
function withoutFullSuccess(
  finished: readonly FinishedTransaction[],
  executions: readonly ShownCall[],
): FinishedTransaction[] {
  const succeeded = new Map<Hex, number>();
  for (const { transactionHash, result } of executions)
    if (result.ok) succeeded.set(transactionHash, (succeeded.get(transactionHash) ?? 0) + 1);
  return finished.filter(
    ({ minedHash, calls }) => minedHash === null || (succeeded.get(minedHash) ?? 0) < calls,
  );
}

function sortMembers(
  members: readonly UndecidedMember[],
  finished: readonly FinishedTransaction[],
  executions: readonly ShownCall[],
  shares: GasShares,
): UnsuccessfulCalls {
  const byId = new Map(finished.map((transaction) => [transaction.id, transaction]));
  const results = new Map(executions.map((one) => [`${one.transactionHash} ${one.number}`, one]));
  const shown = new Set(executions.map(({ transactionHash }) => transactionHash));
  const sorted: UnsuccessfulCalls = {
    failures: [],
    retries: [],
    lost: new Set(),
    lone: new Set(),
    hopeless: [],
  };
  for (const member of members) {
    const { number, calls } = member;
    const { minedHash: transactionHash, isBlameless } = byId.get(member.transactionId)!;
    const execution = results.get(`${transactionHash} ${number}`);
    const outcome = execution && readOutcome(execution.result, { ...member, ...execution });
    if (!execution && transactionHash !== null && shown.has(transactionHash)) {
      // An endpoint has shown a part of its events. It may be one that was given up, mined by its first bytes.
      sorted.retries.push({ ...unchanged(number), inDoubt: true });
    } else if (transactionHash === null || (isBlameless && !execution)) {
      sorted.retries.push(unchanged(number));
      if (transactionHash === null) sorted.lost.add(number);
    } else if (!execution) {
      const isAlone = calls === 1;
      if (isAlone) sorted.lone.add(number);
      const retryStage = afterWholeRevert(member.retryStage, isAlone);
      if (retryStage === null) sorted.hopeless.push({ number, error: LONE_FAILURE, transactionHash });
      const burntGas = isAlone ? shares.usedBy(transactionHash) : 0;
      sorted.retries.push({ ...unchanged(number), retryStage: retryStage ?? member.retryStage, burntGas });
    } else if (outcome === 'reverted') {
      const error = describeFailure(execution.result, member);
      sorted.failures.push({ number, error, transactionHash });
    } else if (outcome === 'already-done') {
      sorted.retries.push({ ...unchanged(number), inDoubt: true });
    } else {
      const share = shares.shareOf(execution.transactionHash, number);
      const burntGas = Number(execution.result.gasUsed) + share;
      sorted.retries.push({ ...unchanged(number), retryStage: afterTooLittleGas, burntGas });
    }
  }
  return sorted;
}

/** What the result of a call means, simulated or mined. */
type CallOutcome =
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
  retryStage: number;
}

/**
 * A revert is a verdict, but not of a call that had less gas than it may use and wanted more: it used up its cap, or the token
 * could not give the hook of a receiver the gas that each hook has. So a hook sees the same gas whatever the cap.
 */
export function readOutcome(result: CallResult, call: MadeCall): CallOutcome {
  if (result.ok) return 'success';
  if (isAlreadyDone(result, call.epoch, call.number)) return 'already-done';
  const hadLess = !goesAlone(call.retryStage) && call.gasCap < call.gasMax;
  const wantsMore = isCapUsed(result.gasUsed, call.gasCap) || isInsufficientReceiverGas(result.returnData);
  return hadLess && wantsMore ? 'short-of-gas' : 'reverted';
}

/**
 * Whether a failed call used (nearly) all of its cap. EIP-150 leaves a caller 1/64, and a receiver's caller another 1/64
 * of that.
 */
const isCapUsed = (gasUsed: bigint, cap: number): boolean => gasUsed * 64n >= BigInt(cap) * 61n;

/** The error of a call that failed; one that used up its cap says so, for its own reason may be that. */
export function describeFailure(
  { gasUsed, returnData }: CallResult,
  { gasCap, isDeployment }: { gasCap: number; isDeployment: boolean },
): Failure['error'] {
  const error = describeRevert(returnData, isDeployment);
  if (!isCapUsed(gasUsed, gasCap)) return error;
  return { ...error, message: `${error.message}; it used up the ${gasCap} gas that it was given` };
}
