import { freeAbandoned } from '../store/contract-lanes.ts';
import { findUnfinished } from '../store/find-unfinished.ts';
import { findAbandonedLanes } from '../store/lanes.ts';
import { resend } from './broadcast.ts';
import type { Lane } from './lane.ts';
import { mayClaim } from './pause.ts';

/**
 * Lets what waits for a lane that nobody holds go on, such as that of a process whose endpoints do not answer: its contracts go
 * to a lane that can send, and what it signed is sent again, for its bytes need no key. To bid more for them takes its signer.
 */
export async function mindAbandoned(lane: Lane): Promise<void> {
  const { db, health, config, log } = lane;
  const { pauseMs, resendMs } = config.timings;
  const now = performance.now();
  if (mayClaim(lane) && now >= health.freeAt) {
    health.freeAt = now + pauseMs;
    const contracts = await freeAbandoned(db);
    if (contracts > 0)
      log.warn({ contracts }, 'contracts of a lane that nobody holds go to one that can send');
  }
  if (now < health.resendAt) return;
  health.resendAt = now + resendMs;
  for (const signer of await findAbandonedLanes(db)) {
    const transactions = await findUnfinished(db, signer);
    for (const transaction of transactions) if (!transaction.mined) await resend(lane, transaction);
  }
}
