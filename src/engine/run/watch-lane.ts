import { resend, resendOpen } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { refreshInFlight } from '../lane/refresh.ts';
import { replaceStuck } from '../send/replacement.ts';
import type { StuckWatch } from '../send/replacement.ts';

/** What `watchLane` keeps from one look to the next. */
export interface LaneWatch extends StuckWatch {
  /** When everything open was sent the last time, in milliseconds of `performance.now`. */
  sentAt: number;
}

export const createLaneWatch = (): LaneWatch => ({ sentAt: performance.now(), waiting: null });

/**
 * One look at what became of the lane's transactions: bids more for what is stuck, and sends again what may have been
 * lost. Returns whether something changed.
 */
export async function watchLane(lane: Lane, watch: LaneWatch): Promise<boolean> {
  if (lane.inFlight.unfinished.length === 0) return false;
  const { isChanged, reopened, headNumber } = await refreshInFlight(lane);
  await Promise.all(reopened.map((transaction) => resend(lane, transaction)));
  await replaceStuck(lane, watch, headNumber);
  const now = performance.now();
  if (isChanged || lane.inFlight.open().length === 0) {
    watch.sentAt = now;
  } else if (now - watch.sentAt > lane.config.timings.resendMs) {
    watch.sentAt = now;
    await resendOpen(lane);
  }
  return isChanged;
}
