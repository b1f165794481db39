import { resend, resendOpen } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { refreshInFlight } from '../lane/refresh.ts';
import { fillGap } from '../send/free-nonces.ts';
import { replaceStuck } from '../send/replacement.ts';
import type { StuckWatch } from '../send/replacement.ts';

/** Blocks without the first transaction, after which the lane is stuck: it was outbid, and bid more, twice. */
const STUCK_BLOCKS = 2 * REPLACE_AFTER_BLOCKS;

/** What `watchLane` keeps from one look to the next. */
export interface LaneWatch extends StuckWatch {
  // In milliseconds of `performance.now`.
  /** When everything open was sent the last time. */
  sentAt: number;
  /** When something changed, or a gap was looked for, the last time. */
  movedAt: number;
}

export function createLaneWatch(): LaneWatch {
  const now = performance.now();
  return { sentAt: now, movedAt: now, waiting: null };
}

/**
 * One look at what became of the lane's transactions: bids more for what is stuck, and sends again what may have been
 * lost. Returns whether something changed.
 */
export async function watchLane(lane: Lane, watch: LaneWatch): Promise<boolean> {
  if (lane.inFlight.unfinished.length === 0) {
    await noteStuck(lane, false);
    return false;
  }
  const { isChanged, reopened, headNumber } = await refreshInFlight(lane);
  await Promise.all(reopened.map((transaction) => resend(lane, transaction)));
  await replaceStuck(lane, watch, headNumber);
  const now = performance.now();
  const [first] = lane.inFlight.open();
  if (isChanged || !first) {
    watch.sentAt = now;
    watch.movedAt = now;
    return isChanged;
  }
  if (now - watch.sentAt > lane.config.timings.resendMs) {
    watch.sentAt = now;
    await resendOpen(lane);
  }
  if (now - watch.movedAt > lane.config.profile.stuckMs) {
    watch.movedAt = now;
    await fillGap(lane, first);
  }
  return false;
}
