import { findUnfinished } from '../store/find-unfinished.ts';
import { findAbandonedLanes } from '../store/lanes.ts';
import { carryAbandoned } from '../store/requeue.ts';
import { resend } from './broadcast.ts';
import type { Lane } from './lane.ts';

/** Calls that are carried at one look. */
const MAX_CALLS = 1_000;

/**
 * Minds what was signed by lanes that nobody holds, such as that of a process whose endpoints do not answer. Their bytes are sent
 * again, which needs no key; to bid more for them takes their signer. What is open for the stuck time is carried by the sender too.
 */
export async function mindAbandoned(lane: Lane): Promise<void> {
  const { db, health, config, log } = lane;
  if (performance.now() < health.resendAt) return;
  health.resendAt = performance.now() + config.timings.resendMs;
  for (const signer of await findAbandonedLanes(db)) {
    const transactions = await findUnfinished(db, signer);
    for (const transaction of transactions) if (!transaction.mined) await resend(lane, transaction);
  }
  const calls = await carryAbandoned(db, { stuckMs: config.profile.stuckMs, limit: MAX_CALLS });
  if (calls > 0) log.warn({ calls }, 'calls of a signer that nobody sends for go with the sender too');
}
