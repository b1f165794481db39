import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeepReorg,
  NotLinked,
  isCanonicalAnywhere,
  openFollower,
  openFollowerAnew,
} from '../../chain/follower/follower.ts';
import { createBlockSpacing } from '../../chain/follower/block-spacing.ts';
import type { BlockSpacing } from '../../chain/follower/block-spacing.ts';
import type { Step, Follower } from '../../chain/follower/follower.ts';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { operatorsOf } from '../../lib/operators.ts';
import { ReaderLost, applyStep } from '../settle/apply-step.ts';
import type { SettleParts } from '../settle/apply-step.ts';
import { isAnyUnknown } from '../recover/unknown-numbers.ts';
import { settlePassedNonces } from '../settle/passed-nonces.ts';
import type { PassedSince } from '../settle/passed-nonces.ts';
import { forgetReorg } from '../store/deep-reorgs.ts';
import type { AgedCursor } from '../store/reader.ts';
import { moveCursor, takeReader } from '../store/reader.ts';
import { findOwnHashes, findUnfinishedLanes } from '../store/mined.ts';
import type { UncountedLane } from '../store/mined.ts';
import { lookAtDeepReorg, watchDeepReorg } from '../recover/deep-reorg.ts';
import type { DeepReorgWatch } from '../recover/deep-reorg.ts';
import { keepReaderLease } from './reader-lease.ts';
import type { ReaderLease } from './reader-lease.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Wakeup } from '../../lib/wakeups.ts';
import type { BlockId, Cursor } from '../../lib/block-id.ts';

/** Turns in a row whose answers did not fit together, after which the endpoint is left. */
const MAX_MISFITS = 2;
/** So long all endpoints refuse logs that are gone. */
const MAX_PRUNED_MS = 60_000;

/** What the chain is read with. */
interface ReadParts extends Omit<SettleParts, 'key' | 'rpc'> {
  rpc: Pick<Rpc, 'call' | 'callEach' | 'choose' | 'leave' | 'unreachableForMs'>;
  /** Name of this process. */
  holder: string;
  wakeup: Wakeup;
  /** Whether somebody waits for a look that begins now. */
  isAsked(): boolean;
  /** Called with what each look found, and whether the chain has shown no block beyond that head. */
  onLook(cursor: Cursor, isLatest: boolean): void;
  /** Called when this process reads no longer, and after each time that another one does. */
  onEnd(): void;
}

/** Reads the chain whenever no other process does, until `stopping`, and stores every verdict that follows from it. */
export async function readChain(parts: ReadParts, stopping: AbortSignal): Promise<void> {
  const { db, rpc, log, config, holder, wakeup } = parts;
  const { leaseMs, queueLookMs, backoffMs, silentMs } = config.timings;
  const spacing = createBlockSpacing(config.profile);
  const refusedLogs: RefusedLogs = { since: 0, seenAt: -Infinity };
  while (!stopping.aborted) {
    try {
      // Without an endpoint the lease is of no use, and another process may have one.
      const taken = rpc.unreachableForMs() < silentMs && (await takeReader(db, holder, leaseMs));
      if (taken) await holdReader({ ...parts, spacing, refusedLogs, key: taken.key }, taken.cursor, stopping);
    } catch (error) {
      log.warn({ error: String(error) }, 'the chain has to be read anew');
      await sleep(backoffMs, undefined, { signal: stopping }).catch(() => undefined);
    }
    parts.onEnd();
    await wakeup.wait(queueLookMs);
  }
}

interface LeasedParts extends ReadParts, Pick<SettleParts, 'key'> {
  lease: ReaderLease;
  spacing: BlockSpacing;
  refusedLogs: RefusedLogs;
}

/**
 * Logs that all endpoints refuse; it outlives the lease, which ends earlier than they count as gone. By
 * `performance.now`.
 */
interface RefusedLogs {
  since: number;
  /** By the last step that lacked some; -Infinity while none does. */
  seenAt: number;
}

async function holdReader(
  ownParts: Omit<LeasedParts, 'lease'>,
  cursor: AgedCursor | null,
  stopping: AbortSignal,
): Promise<void> {
  await using lease = keepReaderLease(ownParts);
  const parts = { ...ownParts, lease };
  const reading = beginReading(cursor);
  await noteUnfinished(parts, reading);
  const turn = async (): Promise<void> =>
    reading.reorg
      ? waitForReorg(parts, reading, reading.reorg)
      : noticeReorg(parts, reading, () => readOnce(parts, reading));
  while (!stopping.aborted && !reading.isRewound) {
    if (lease.isLost) throw new ReaderLost();
    await withReaderBackoff(parts, reading, turn);
  }
}

/** Lets the reader take a turn; an endpoint that fails it, or whose answers do not fit together, costs a pause. */
async function withReaderBackoff(
  { rpc, log, config, lease }: LeasedParts,
  reading: Reading,
  turn: () => Promise<void>,
): Promise<void> {
  try {
    await turn();
    lease.progressed();
    reading.misfits = 0;
  } catch (error) {
    const isOfEndpoint =
      error instanceof RpcUnreachable || error instanceof RpcRefused || error instanceof NotLinked;
    if (!isOfEndpoint) throw error;
    lease.failed();
    log.warn({ error: String(error) }, 'the chain could not be read, and is read again after a pause');
    // A fork that ends meanwhile costs one; what an endpoint shows that does not fit together again, the next one is
    // asked.
    reading.misfits = error instanceof NotLinked ? reading.misfits + 1 : 0;
    if (reading.misfits >= MAX_MISFITS) rpc.leave();
    const { blockLookMs, backoffMs } = config.timings;
    await sleep(error instanceof NotLinked ? blockLookMs : backoffMs);
  }
}

/**
 * An endpoint may refuse logs for a moment that it has. As long as they may be those of lost commits, the next ones are
 * asked, before they count as gone. @throws NotLinked
 */
function waitForLogs({ added }: Step, { looksForUnknown }: Reading, refused: RefusedLogs): void {
  const block = looksForUnknown && added.find(({ isPruned }) => isPruned);
  if (!block) {
    if (looksForUnknown) refused.seenAt = -Infinity;
    return;
  }
  const now = performance.now();
  if (now - refused.seenAt > MAX_PRUNED_MS) refused.since = now;
  refused.seenAt = now;
  // Once they count as gone, those of the next blocks do, as long as each step lacks some.
  if (now - refused.since < MAX_PRUNED_MS)
    throw new NotLinked(`the logs of block ${block.number} are refused`);
}

/** One turn: a look at the chain while anything is unfinished or somebody asks; else a wait, without a call. */
async function readOnce(parts: LeasedParts, reading: Reading): Promise<void> {
  const { config, wakeup } = parts;
  const { queueLookMs, longIdleMs } = config.timings;
  const isAsked = parts.isAsked();
  const isIdle = !reading.isAnyUnfinished;
  // Kept for the turn after the one that finds what ends the idle time: that was stored since, and its receipt says
  // where it is.
  if (isIdle && performance.now() - reading.lookedAt > longIdleMs) reading.wasIdle = true;
  if (isIdle && !reading.isFirst && !isAsked) {
    await wakeup.wait(queueLookMs);
    return noteUnfinished(parts, reading);
  }
  await openReading(parts, reading);
  const hasMoved = await look(parts, reading, isAsked);
  if ((await lookAtPassed(parts, reading)) || hasMoved) return noteUnfinished(parts, reading);
  // The wait may be longer than the lease.
  parts.lease.progressed();
  await wakeup.wait(nextLookMs(parts, reading));
  return noteUnfinished(parts, reading);
}

/** Begins where the last reader was; after a long idle time at the block that is final now. */
async function openReading(parts: LeasedParts, reading: Reading): Promise<void> {
  const { spacing, config } = parts;
  const operators = operatorsOf(config);
  // What is missing here of the blocks since a backup, which lost requests may have done, is not looked for again.
  const looksForUnknown = (): boolean => reading.looksForUnknown;
  const asksAll = (): boolean => reading.isFirst || looksForUnknown();
  const shared = { rpc: parts.rpc, operators, profile: config.profile, spacing };
  const follower = { ...shared, asksAll, looksForUnknown, onRead: parts.lease.progressed };
  if (reading.follower && !reading.wasIdle) return;
  const canonical = reading.follower?.canonical;
  const cursor = canonical
    ? { final: canonical.final, head: reading.stored ?? canonical.head }
    : reading.known;
  const anew =
    cursor && reading.wasIdle && !reading.looksForUnknown && (await openFollowerAnew(follower, cursor));
  // Blocks in which another database, or lost commits, did something are not passed over.
  const mayPassOver = anew && !(await isAnyUnknown(parts.db, parts.rpc, anew.canonical.final));
  reading.follower = mayPassOver ? anew : await openFollower(follower, cursor);
  reading.wasIdle = false;
  // A reorg that was noted before a restart is over.
  await forgetReorg(parts.db, parts.key);
  reading.isFirst = true;
}

/** Takes a turn. When it finds that the chain does not contain the last final block any more, verdicts wait. */
async function noticeReorg(parts: LeasedParts, reading: Reading, turn: () => Promise<void>): Promise<void> {
  try {
    await turn();
  } catch (error) {
    if (!(error instanceof DeepReorg)) throw error;
    const final = reading.follower?.canonical.final ?? reading.known?.final;
    // Without a stored cursor nothing was settled yet: the reading begins anew.
    if (!reading.stored || !final) return void (reading.follower = null);
    const cursor = { final, head: reading.stored };
    // One endpoint may have stayed on a fork: the next ones are asked before it means anything.
    if (await isCanonicalAnywhere(parts, cursor)) throw new NotLinked(error.message);
    reading.reorg = await watchDeepReorg(parts, cursor);
  }
}

async function waitForReorg(parts: LeasedParts, reading: Reading, reorg: DeepReorgWatch): Promise<void> {
  const { config, wakeup } = parts;
  const found = await lookAtDeepReorg({ ...parts, profile: config.profile }, reorg, config.profile.stuckMs);
  if (found === 'over') reading.reorg = null;
  if (found === 'rewound') reading.isRewound = true;
  if (found !== 'rewound') await wakeup.wait(config.timings.receiptLookMs);
}

async function noteUnfinished({ db }: LeasedParts, reading: Reading): Promise<void> {
  const { open, isAny, looksForUnknown, asOf } = await findUnfinishedLanes(db);
  reading.open = open;
  reading.isAnyUnfinished = isAny;
  reading.asOf = asOf;
  reading.looksForUnknown = looksForUnknown;
}

/** Looks at the chain, and stores what changed. Returns whether something did. */
async function look(parts: LeasedParts, reading: Reading, isAsked: boolean): Promise<boolean> {
  const follower = reading.follower!;
  const { leaseMs } = parts.config.timings;
  const seen = await follower.look();
  if (seen) waitForLogs(seen, reading, parts.refusedLogs);
  const step = await ownPartOf(parts, seen);
  if (!step && reading.isFirst) {
    // The stored head was not shown yet: nothing is taken back, and waiting calls get no head, for it would be an older
    // one.
    reading.lookedAt = performance.now();
    return false;
  }
  const isDue = performance.now() - reading.notedAt > leaseMs / 3;
  if (step) {
    const from = { head: reading.stored, isFirst: reading.isFirst };
    const isWaitedFor = reading.open.length > 0;
    const lookedAt = step.isLatest ? reading.asOf : null;
    await applyStep(parts, step, { from, canonical: follower.canonical.above(0), isWaitedFor, lookedAt });
    follower.accept(step);
    reading.stored = step.head;
    reading.isFirst = false;
  } else if (isAsked || isDue) {
    const { final, head } = follower.canonical;
    const move = { from: reading.stored, to: { final, head }, lookedAt: reading.asOf, leaseMs };
    if (!(await moveCursor(parts.db, parts.key, move))) throw new ReaderLost();
  }
  if (step || isAsked || isDue) {
    reading.notedAt = performance.now();
    parts.config.commits.noteCursor({ term: parts.key.term, final: follower.canonical.final.number });
  }
  reading.lookedAt = performance.now();
  parts.onLook({ final: follower.canonical.final, head: follower.canonical.head }, step?.isLatest ?? true);
  return step !== null;
}

/**
 * The step with the logs of own transactions, and those of others apart. The event of another one is no verdict:
 * whoever has the key of an executor writes it.
 */
async function ownPartOf({ db }: LeasedParts, step: Step | null): Promise<Step | null> {
  if (!step) return null;
  const own = await findOwnHashes(
    db,
    step.added.flatMap(({ logs }) => logs.map(({ transactionHash }) => transactionHash)),
  );
  const added = step.added.map((block) => ({
    ...block,
    logs: block.logs.filter(({ transactionHash }) => own.has(transactionHash)),
    unknown: block.logs.filter(({ transactionHash }) => !own.has(transactionHash)),
  }));
  return { ...step, added };
}

async function lookAtPassed(parts: LeasedParts, reading: Reading): Promise<boolean> {
  const { open, since, countedAt } = reading;
  // Before the first step the canonical head is older than the stored one.
  if (reading.isFirst || !isCountDue(parts, reading)) return false;
  if (performance.now() - countedAt < parts.config.timings.receiptLookMs) return false;
  reading.countedAt = performance.now();
  const { canonical } = reading.follower!;
  const hasChanged = await settlePassedNonces(parts, canonical, open, since);
  reading.countedHead = canonical.head.hash;
  return hasChanged;
}

/**
 * Whether nonces were not counted at the head yet, where they stay the same, or a receipt of a passed one lacks. Once
 * in the stuck time they are counted all the same: one may have been opened since that the chain had used before, and
 * no block may come.
 */
function isCountDue(
  { config }: LeasedParts,
  { open, follower, countedHead, since, countedAt }: Reading,
): boolean {
  const isNew = countedHead !== follower!.canonical.head.hash;
  const isOld = performance.now() - countedAt > config.profile.stuckMs;
  return open.length > 0 && (isNew || isOld || since.size > 0);
}

/** Milliseconds until a block may come, or nonces may be counted where that is due. */
function nextLookMs(parts: LeasedParts, reading: Reading): number {
  const { config, spacing } = parts;
  const { blockLookMs, receiptLookMs } = config.timings;
  if (reading.isFirst) return blockLookMs;
  const countInMs = Math.max(blockLookMs, reading.countedAt + receiptLookMs - performance.now());
  const countMs = isCountDue(parts, reading) ? countInMs : Infinity;
  return Math.min(countMs, spacing.nextLookMs(blockLookMs));
}

/** What is known of the chain by this process, from one turn to the next. */
interface Reading {
  follower: Follower | null;
  /** What was stored when this process took over. */
  known: Cursor | null;
  /** The head as it is stored. */
  stored: BlockId | null;
  /** Whether no step was stored yet: the first one takes back what is canonical no longer. */
  isFirst: boolean;
  /** Set while the chain does not contain the last final block. */
  reorg: DeepReorgWatch | null;
  /** The cursor was taken back: whoever takes the lease next goes on from there. */
  isRewound: boolean;
  open: UncountedLane[];
  isAnyUnfinished: boolean;
  /** When anything was unfinished or not, which is before the next look begins, by the database's clock. */
  asOf: string | null;
  /** Commits may be lost, or an epoch is about to begin: what unknown transactions did counts in every block. */
  looksForUnknown: boolean;
  /** Nothing was unfinished for so long that the blocks since the last look need not be read. */
  wasIdle: boolean;
  /** Turns in a row whose answers did not fit together. */
  misfits: number;
  /** Since when open transactions are known to be passed. */
  since: PassedSince;
  /** Hash of the head at which nonces were counted the last time. */
  countedHead: Hex | null;
  // In milliseconds of `performance.now`.
  /** When a look was stored, though nothing had changed, or a change was. */
  notedAt: number;
  lookedAt: number;
  countedAt: number;
}

const beginReading = (cursor: AgedCursor | null): Reading => ({
  follower: null,
  known: cursor,
  stored: cursor?.head ?? null,
  isFirst: true,
  reorg: null,
  isRewound: false,
  open: [],
  isAnyUnfinished: true,
  looksForUnknown: true,
  asOf: null,
  wasIdle: false,
  misfits: 0,
  since: new Map(),
  countedHead: null,
  notedAt: performance.now(),
  lookedAt: performance.now() - (cursor?.ageMs ?? 0),
  countedAt: 0,
});
