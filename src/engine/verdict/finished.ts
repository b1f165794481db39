import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { afterTooLittleGas, afterWholeRevert, goesAlone } from '../retry-policy.ts';
import { findUndecidedMembers } from '../store/mined.ts';
import type { FinishedTransaction, UndecidedMember } from '../store/mined.ts';
import { findBehind, leaveToUnfinished, requeueMembers, unchanged } from '../store/requeue.ts';
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

/** How a call ended that did not succeed. */
interface Ending {
  member: UndecidedMember;
  /** What it fails by, unless something speaks against that; null when it goes again. */
  failure: Failure | null;
  /** How it goes again; null when it fails. */
  again: Requeue | null;
  /** Its own event says so. */
  isShown: boolean;
  /** Nobody has shown the use of its nonce: it may have been an attempt of this very transaction. */
  isDisplaced: boolean;
  /** It was alone in a transaction which was reverted as a whole. */
  isLone: boolean;
}

/**
 * Settles the calls of finished transactions that have no success: their nonces are used for good, so nothing of them
 * can happen any more. A revert is a failure unless an earlier call of its contract goes again, or was done later; so
 * is the second whole revert of a lone call. The rest goes again, or is overtaken (send/leave-overtaken.ts). What would
 * fail, or has burnt gas alone, and is in another transaction that may still be mined, is left to the end of that one.
 * Returns what failed.
 *
 * An event that an endpoint does not show may be on the chain all the same: what would fail without one goes again when
 * its bit is set, and the next simulation finds what it came to. So does what lost its nonce, as it seems, what the
 * Operator says that it did before, and what is of an epoch that is over: until then nobody may cancel it.
 * @param isInPart which intents it is about
 * @throws NotAsked, see asking.ts: all of it is run again once that is known
 */
export async function settleFinished(
  tx: Tx,
  { bits, shares, displacedNonces }: Lookups,
  finished: readonly FinishedTransaction[],
  executions: readonly ShownCall[],
  isInPart: (number: bigint) => boolean,
): Promise<ChangedIntent[]> {
  const incomplete = withoutFullSuccess(finished, executions);
  const undecided = await findUndecidedMembers(
    tx,
    incomplete.map(({ id }) => id),
  );
  const members = undecided.filter(({ number }) => isInPart(number));
  if (members.length === 0) return [];
  const all = findEndings(members, incomplete, executions, shares);
  const left = await leaveToUnfinished(
    tx,
    all.filter(({ failure, isLone }) => failure !== null || isLone).map(numberOf),
  );
  const endings = all.filter((ending) => !left.has(numberOf(ending)));
  const inDoubt = findInDoubt(endings, { bits, displacedNonces });
  await requeueMembers(
    tx,
    endings.flatMap((ending) => {
      const number = numberOf(ending);
      if (inDoubt.has(number)) return [{ ...unchanged(number), inDoubt: true }];
      return ending.again ?? [];
    }),
  );
  const failing = endings.filter((ending) => ending.failure && !inDoubt.has(numberOf(ending)));
  const premature = await requeuePremature(tx, failing);
  const failures = failing.flatMap((ending) => (premature.has(numberOf(ending)) ? [] : [ending.failure!]));
  return failIntents(tx, failures, ['submitted']);
}

/**
 * Puts calls back into the queue that failed while an earlier one of their contract goes again, as of now, or was done
 * later: they may have needed it. So may others have needed them. Returns their numbers.
 */
async function requeuePremature(tx: Tx, failing: readonly Ending[]): Promise<Set<bigint>> {
  const premature = new Set<bigint>();
  const shown = failing.filter(({ isShown }) => isShown).map(numberOf);
  let behind: Set<bigint>;
  do {
    behind = await findBehind(
      tx,
      shown.filter((number) => !premature.has(number)),
    );
    await requeueMembers(tx, [...behind].map(unchanged));
    for (const number of behind) premature.add(number);
  } while (behind.size > 0);
  return premature;
}

const numberOf = ({ member }: Ending): bigint => member.number;

/** Which of them may have an effect all the same, or may have it yet. */
function findInDoubt(
  endings: readonly Ending[],
  { bits, displacedNonces }: Pick<Lookups, 'bits' | 'displacedNonces'>,
): Set<bigint> {
  const failing = endings.filter(({ failure }) => failure !== null);
  // Bytes that lost their nonce, as it seems, may have done them since, or do them yet.
  const unproven = failing.filter(({ member }) => member.mayBeDoneByOurs);
  const eventless = endings.filter(
    ({ failure, isShown, isDisplaced }) => isDisplaced || (failure && !isShown),
  );
  const inDoubt = bits.findDone([...eventless, ...unproven].map(({ member }) => member));
  if (unproven.length > 0 && displacedNonces.mayBeMined())
    for (const ending of unproven) inDoubt.add(numberOf(ending));
  // So may bytes that are not known.
  for (const { member } of failing) if (member.mayBeDoneByUnknown) inDoubt.add(member.number);
  return inDoubt;
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
    ({ minedHash, callCount }) => minedHash === null || (succeeded.get(minedHash) ?? 0) < callCount,
  );
}

function findEndings(
  members: readonly UndecidedMember[],
  finished: readonly FinishedTransaction[],
  executions: readonly ShownCall[],
  shares: GasShares,
): Ending[] {
  const byId = new Map(finished.map((transaction) => [transaction.id, transaction]));
  const results = new Map(executions.map((one) => [`${one.transactionHash} ${one.number}`, one]));
  const shown = new Set(executions.map(({ transactionHash }) => transactionHash));
  return members.map((member) => {
    const { number, transactionId } = member;
    const { minedHash, isBlameless } = byId.get(transactionId)!;
    const execution = results.get(`${minedHash} ${number}`);
    const defaults = {
      member,
      failure: null,
      isShown: false,
      isDisplaced: minedHash === null,
      isLone: false,
    };
    if (execution) return { ...defaults, isShown: true, ...endOfShown(member, execution, shares) };
    // An endpoint has shown a part of its events. It may be one that was given up, mined by its first bytes.
    if (minedHash !== null && shown.has(minedHash))
      return { ...defaults, again: { ...unchanged(number), inDoubt: true } };
    if (minedHash === null || isBlameless) return { ...defaults, again: unchanged(number) };
    return { ...defaults, ...endOfWholeRevert(member, minedHash, shares) };
  });
}

function endOfWholeRevert(
  { number, callCount, retryStage }: UndecidedMember,
  transactionHash: Hex,
  shares: GasShares,
): Pick<Ending, 'failure' | 'again' | 'isLone'> {
  const isLone = callCount === 1;
  const nextStage = afterWholeRevert(retryStage, isLone);
  if (nextStage === null)
    return { failure: { number, error: LONE_FAILURE, transactionHash }, again: null, isLone };
  const burntGas = isLone ? shares.usedBy(transactionHash) : 0;
  return { failure: null, again: { ...unchanged(number), retryStage: nextStage, burntGas }, isLone };
}

function endOfShown(
  member: UndecidedMember,
  execution: ShownCall,
  shares: GasShares,
): Pick<Ending, 'failure' | 'again'> {
  const { number } = member;
  const { transactionHash, result } = execution;
  switch (readOutcome(result, { ...member, ...execution })) {
    case 'reverted':
      return {
        failure: { number, error: describeFailure(result, member), transactionHash },
        again: null,
      };
    case 'already-done':
      return { failure: null, again: { ...unchanged(number), inDoubt: true } };
    default: {
      const burntGas = Number(result.gasUsed) + shares.shareOf(transactionHash, number);
      return { failure: null, again: { ...unchanged(number), retryStage: afterTooLittleGas, burntGas } };
    }
  }
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
 * A revert is a verdict, but not of a call that had less gas than it may use and wanted more: it used up its cap, or
 * the token could not give the hook of a receiver the gas that each hook has. So a hook sees the same gas whatever the
 * cap.
 */
export function readOutcome(result: CallResult, call: MadeCall): CallOutcome {
  if (result.ok) return 'success';
  if (isAlreadyDone(result, call.epoch, call.number)) return 'already-done';
  const hadLess = !goesAlone(call.retryStage) && call.gasCap < call.gasMax;
  const wantsMore = isCapUsed(result.gasUsed, call.gasCap) || isInsufficientReceiverGas(result.returnData);
  return hadLess && wantsMore ? 'short-of-gas' : 'reverted';
}

/**
 * Whether a failed call used (nearly) all of its cap. EIP-150 leaves a caller 1/64, and a receiver's caller another
 * 1/64 of that.
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
