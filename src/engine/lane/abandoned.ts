import { findUnfinished } from '../store/find-unfinished.ts';
import { findAbandonedLanes } from '../store/lanes.ts';
import { resend } from './broadcast.ts';
import type { Lane } from './lane.ts';

/**
 * Sends again what was signed by lanes that nobody holds, such as that of a process whose endpoints do not answer: these bytes need
 * no key. To bid more for them takes their signer.
 */
export async function resendAbandoned(lane: Lane): Promise<void> {
  const { db, health, config } = lane;
  if (performance.now() < health.resendAt) return;
  health.resendAt = performance.now() + config.timings.resendMs;
  for (const signer of await findAbandonedLanes(db)) {
    const transactions = await findUnfinished(db, signer);
    for (const transaction of transactions) if (!transaction.mined) await resend(lane, transaction);
  }
}
