import { resend, resendAll, resendOpen } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { refreshInFlight } from '../lane/load.ts';
import { noteStuck } from '../lane/pause.ts';
import { fillGap, pushBlock } from '../send/free-nonces.ts';
import { REPLACE_AFTER_BLOCKS, bidMore, replaceStuck } from '../send/replacement.ts';
import type { StuckWatch } from '../send/replacement.ts';
import { isDepthMissing } from '../store/lanes.ts';
import type { Transaction } from '../store/transactions.ts';

/** Blocks without the first transaction, after which the lane is stuck: it was outbid, and bid more, twice. */
const STUCK_BLOCKS = 2 * REPLACE_AFTER_BLOCKS;

/** What `watchLane` keeps from one look to the next. */
interface LaneWatch extends StuckWatch {
  // In milliseconds of `performance.now`.
  /** When everything open was sent the last time. */
  sentAt: number;
  /** When something changed, or a gap was looked for, the last time. */
  movedAt: number;
  /** The newest block, and when it was seen first. */
  head: { number: bigint; at: number };
  /** A gap is longer than what may be in flight at a time: the next part of it goes when something is mined. */
  isFilling: boolean;
}

export function createLaneWatch(): LaneWatch {
  const now = performance.now();
  const head = { number: 0n, at: now };
  return { sentAt: now, movedAt: now, first: null, head, isFilling: false };
}

/**
 * One look at what became of the lane's transactions: bids more for what is stuck, and sends again what may have been
 * lost. Returns whether something changed.
 */
export async function watchLane(lane: Lane, watch: LaneWatch): Promise<boolean> {
  if (lane.inFlight.unfinished.length === 0) {
    await noteStuck(lane, false);
    const { minesOnDemand, stuckMs } = lane.config.profile;
    if (!minesOnDemand || performance.now() - watch.head.at < stuckMs) return false;
    const { isChanged, headNumber } = await refreshInFlight(lane);
    if (lane.inFlight.unfinished.length === 0) await pushBlocks(lane, watch, headNumber);
    return isChanged;
  }
  const { isChanged, openAgain, headNumber } = await refreshInFlight(lane);
  await resendAll(lane, openAgain);
  await replaceStuck(lane, watch, headNumber);
  await noteStuck(lane, isStuck(lane, watch, headNumber));
  await pushBlocks(lane, watch, headNumber);
  const now = performance.now();
  const [first] = lane.inFlight.open();
  if (isChanged && first?.isAhead) await resend(lane, first);
  if (isChanged || !first) {
    watch.sentAt = now;
    watch.movedAt = now;
    if (watch.isFilling) watch.isFilling = await fillGap(lane);
    return isChanged;
  }
  if (now - watch.sentAt > lane.config.timings.resendMs) {
    watch.sentAt = now;
    await resendOpen(lane);
  }
  if (now - watch.movedAt > lane.config.profile.stuckMs) {
    watch.movedAt = now;
    watch.isFilling = await fillGap(lane);
  }
  return false;
}

/** Whether blocks go by without the first transaction, for long enough. A chain that makes none holds up every lane. */
const isStuck = ({ config }: Lane, { first }: LaneWatch, headNumber: bigint): boolean =>
  first !== null &&
  performance.now() - first.at > config.profile.stuckMs &&
  headNumber - first.block >= STUCK_BLOCKS;

/**
 * On a chain that makes a block only for a transaction: when none has come for a while, a bid that is too low is raised
 * without blocks that show it, and what waits for depth, also of a signer that cannot do it, gets a block with a no-op.
 */
async function pushBlocks(lane: Lane, { head }: LaneWatch, headNumber: bigint): Promise<void> {
  const { inFlight, config } = lane;
  const { minesOnDemand, stuckMs } = config.profile;
  const now = performance.now();
  if (headNumber !== head.number || !minesOnDemand) {
    head.number = headNumber;
    head.at = now;
    return;
  }
  if (now - head.at < stuckMs) return;
  head.at = now;
  const [first] = inFlight.open();
  if (first) await bidMore(lane, first);
  else if (inFlight.unfinished.some(needsDepth) || (await isNeededByOthers(lane))) await pushBlock(lane);
}

const isNeededByOthers = async ({ db, key, funds, health }: Lane): Promise<boolean> =>
  funds.areEnough && !health.pause && (await isDepthMissing(db, key));

/** A no-op needs no confirmations, unless it had calls. */
const needsDepth = ({ calldata, isNoop }: Transaction): boolean => calldata !== '0x' || !isNoop;
