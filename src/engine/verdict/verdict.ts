import type { Tx, Db } from '../../db/client.ts';
import type { Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { VerdictChange } from '../intent.ts';
import type { Lane, LaneParts } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import type { FollowUps } from '../ports.ts';
import { afterTooLittleGas } from '../retry-policy.ts';
import { lockLane } from '../store/lanes.ts';
import { lockNeverSent } from '../store/silence.ts';
import { notifySettled } from '../store/notices.ts';
import { findBehind, findDoubts, isDoneAbove, requeueIntents, unchanged } from '../store/requeue.ts';
import { claimEffect } from '../store/unknown-effects.ts';
import type { NumberedEffect } from '../store/unknown-effects.ts';
import { confirmIntents, failIntents } from '../store/verdicts.ts';
import type { ConfirmedIntent, Failure, ChangedIntent, Success } from '../store/verdicts.ts';
import { guessUse, createGasShares } from './receipts.ts';
import type { GasShares, SharesParts } from './receipts.ts';
import { createDisplacedNonces, writeAsking, createDoneBits } from './asking.ts';
import type { DoneBits, DisplacedNonces, DisplacedNoncesParts } from './asking.ts';
import { retryOnDeadlock } from '../../db/deadlock.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { quarantineIntent } from '../store/quarantine.ts';

export const toVerdicts = (
  intents: readonly ChangedIntent[],
  outcome: Exclude<VerdictChange['outcome'], 'reopened'>,
): VerdictChange[] =>
  intents.map(({ intent, notifyAccount }) => ({ intent, notifyAccount, outcome, gas: null }));

/** The end of verdicts that were final. @param wasSuccess what they said */
export const toReopened = (intents: readonly ChangedIntent[], wasSuccess: boolean): VerdictChange[] =>
  intents.map(({ intent, notifyAccount }) => ({
    ...{ intent, notifyAccount, wasSuccess },
    outcome: 'reopened',
    gas: null,
  }));

/** The verdicts on successes. What had failed before, or was cancelled, is reopened first. */
export const toSuccessVerdicts = (
  successes: readonly ConfirmedIntent[],
  outcome: 'confirmed' | 'final',
): VerdictChange[] => [
  ...toReopened(
    successes.filter(({ hadNoEffect }) => hadNoEffect),
    false,
  ),
  ...toVerdicts(successes, outcome),
];

/** Lets the features write what follows from verdicts, and wakes the requests that wait for them. */
export async function applyVerdicts(
  tx: Tx,
  followUps: Pick<FollowUps, 'settled'>,
  verdicts: VerdictChange[],
): Promise<void> {
  if (verdicts.length === 0) return;
  await followUps.settled(tx, verdicts);
  await notifySettled(
    tx,
    verdicts.map(({ intent }) => intent.number),
  );
}

/**
 * Fails intents that have no transaction that decides on them: they had no effect and will have none. @throws LaneLost
 */
export const failQueued = (lane: Lane, failures: readonly Failure[]): Promise<void> =>
  asHolder(lane, (tx, writeInParts) => writeFailures(tx, lane.followUps, failures, writeInParts));

/**
 * Fails an intent that has no transaction that decides on it, unless an earlier one of its contract may still be sent,
 * or was done since, or bytes that were signed for it may still be mined: then nothing is written, and false is
 * returned.
 * @param cursor at its head the intent is not done, and would fail
 * @throws LaneLost
 */
export function failUnlessPremature(lane: Lane, cursor: Cursor, failure: Failure): Promise<boolean> {
  const displacedNonces = createDisplacedNonces(lane, async () => cursor);
  const write = () =>
    asHolder(lane, async (tx, writeInParts) => {
      if ((await findBehind(tx, [failure.number])).size > 0) return false;
      if (await isDoneAbove(tx, failure.number, cursor.head)) return false;
      const { isInFlight, mayBeDoneByOurs, mayBeDoneByUnknown } = await findDoubts(tx, failure.number);
      if (isInFlight || mayBeDoneByUnknown || (mayBeDoneByOurs && displacedNonces.mayBeMined())) return false;
      await writeFailures(tx, lane.followUps, [failure], writeInParts);
      return true;
    });
  return writeAsking(write);
}

/**
 * Fails those of the intents that were never in a transaction, if nobody reaches the chain, as `findNeverSent` says.
 */
export function failNeverSent(
  { followUps, ...parts }: Pick<LaneParts, 'db' | 'followUps' | 'log'>,
  failures: readonly Failure[],
  outOfReachMs: number,
): Promise<void> {
  return withQuarantine(parts, async (tx, writeInParts) => {
    const neverSent = await lockNeverSent(
      tx,
      failures.map(({ number }) => number),
      outOfReachMs,
    );
    const unsent = failures.filter(({ number }) => neverSent.has(number));
    await writeFailures(tx, followUps, unsent, writeInParts);
  });
}

/**
 * Confirms for good a queued intent on which no transaction decides.
 * @param gas that its call used
 * @param effect under whose number it was done
 * @throws LaneLost
 */
export function confirmElsewhere(
  lane: Lane,
  success: Success,
  gas: bigint,
  effect: NumberedEffect & { operator: Hex },
): Promise<void> {
  return asHolder(lane, (tx, writeInParts) =>
    writeInParts(
      tx,
      async () => [success.number],
      async (part) => {
        const confirmed = await confirmIntents(part, [success], true);
        if (confirmed.length > 0) await claimEffect(part, success.number, effect);
        const verdicts = toSuccessVerdicts(confirmed, 'final');
        await applyVerdicts(
          part,
          lane.followUps,
          verdicts.map((verdict) => ({ ...verdict, gas: guessUse(gas) })),
        );
      },
    ),
  );
}

/** Puts a call back that used up its cap in a simulation: it gets the most that it may use, alone. @throws LaneLost */
export function requeueForFullGas(lane: Lane, number: bigint): Promise<void> {
  return asHolder(lane, async (tx) => {
    await requeueIntents(tx, [{ ...unchanged(number), retryStage: afterTooLittleGas }], 'queued');
  });
}

function writeFailures(
  tx: Tx,
  followUps: Pick<FollowUps, 'settled'>,
  failures: readonly Failure[],
  writeInParts: WriteInParts,
): Promise<void> {
  return writeInParts(
    tx,
    async () => failures.map(({ number }) => number),
    async (part, isInPart) => {
      const meant = failures.filter(({ number }) => isInPart(number));
      const failed = await failIntents(part, meant, ['queued']);
      await applyVerdicts(part, followUps, toVerdicts(failed, 'failed'));
    },
  );
}

/**
 * Runs `work` in a database transaction in which nobody takes the lane over. @throws LaneLost when that happened before
 */
function asHolder<Result>(
  { key, ...parts }: Pick<Lane, 'db' | 'key' | 'log'>,
  work: (tx: Tx, writeInParts: WriteInParts) => Promise<Result>,
): Promise<Result> {
  return withQuarantine(parts, async (tx, writeInParts) => {
    if (!(await lockLane(tx, key))) throw new LaneLost();
    return work(tx, writeInParts);
  });
}

/** What verdicts depend on besides the blocks that are read, and is asked of the chain when it is needed. */
export interface Lookups {
  bits: DoneBits;
  shares: GasShares;
  displacedNonces: DisplacedNonces;
}

/** Runs `write`, as `writeAsking` does, with what verdicts depend on; `createDoneBits` says at which block, and how. */
export function withLookups<Result>(
  parts: SharesParts & DisplacedNoncesParts,
  findCursor: () => Promise<Cursor>,
  write: (lookups: Lookups) => Promise<Result>,
  options: { isOld?: boolean } = {},
): Promise<Result> {
  const findHead = async () => (await findCursor()).head;
  const lookups = {
    bits: createDoneBits(parts.rpc, findHead, options),
    shares: createGasShares(parts),
    displacedNonces: createDisplacedNonces(parts, findCursor),
  };
  return writeAsking(() => write(lookups));
}

/** Writes the verdicts on the intents that are in this part of them. */
type WriteVerdicts = (tx: Tx, isInPart: (number: bigint) => boolean) => Promise<void>;

/**
 * Writes verdicts: all of them at once, or, once the database has refused that, in parts.
 * @param find which intents they may be on; only asked for the parts
 */
export type WriteInParts = (
  tx: Tx,
  find: () => Promise<readonly bigint[]>,
  write: WriteVerdicts,
) => Promise<void>;

/**
 * Runs `work` in one database transaction. When the database refuses it, `work` is run again with its verdicts
 * bisected: those that are refused alone are left out, and their intents quarantined. An error of another kind is
 * thrown.
 */
export async function withQuarantine<Result>(
  { db, log }: { db: Db; log: Logger },
  work: (tx: Tx, writeInParts: WriteInParts) => Promise<Result>,
): Promise<Result> {
  const write = (writeInParts: WriteInParts): Promise<Result> =>
    retryOnDeadlock(() => db.transaction((tx) => work(tx, writeInParts)));
  try {
    return await write(writeAtOnce);
  } catch (error) {
    const refusal = readRefusedWrite(error);
    if (refusal === null) throw error;
    log.warn({ error: refusal }, 'the database refuses verdicts, which are written one by one');
    return write(createBisection(log));
  }
}

const writeAtOnce: WriteInParts = (tx, _find, write) => write(tx, () => true);

function createBisection(log: Logger): WriteInParts {
  return async (tx, find, write) => {
    // In their order, so that what depends on an earlier intent of its contract finds that one settled.
    const all = [...new Set(await find())].sort((a, b) => Number(a - b));
    const writeSome = async (numbers: readonly bigint[]): Promise<void> => {
      if (numbers.length === 0) return;
      const meant = new Set(numbers);
      try {
        // A savepoint: what is refused leaves no trace.
        await tx.transaction((part) => write(part, (number) => meant.has(number)));
      } catch (error) {
        const refusal = readRefusedWrite(error);
        if (refusal === null) throw error;
        if (numbers.length === 1) return quarantine(tx, log, numbers[0]!, refusal);
        const half = Math.ceil(numbers.length / 2);
        await writeSome(numbers.slice(0, half));
        await writeSome(numbers.slice(half));
      }
    };
    await writeSome(all);
  };
}

async function quarantine(tx: Tx, log: Logger, number: bigint, refusal: string): Promise<void> {
  const id = await quarantineIntent(tx, number, refusal);
  log.error(
    { intent: id ?? null, number: String(number), error: refusal },
    id === undefined
      ? 'the database refuses another verdict on an intent that has one'
      : 'the database refuses the verdict on an intent, which is quarantined: see "intents quarantined"',
  );
}
