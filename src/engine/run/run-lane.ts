import { setTimeout as sleep } from 'node:timers/promises';
import type { Notifications } from '../../db/notifications.ts';
import { LaneStalled, acquireLane } from '../lane/lease.ts';
import type { RunParts } from './backoff.ts';
import { holdLane } from './hold-lane.ts';
import { createWakeups } from './wakeups.ts';

/** Holds the lane of one signer whenever nobody else does, until `stopping`. */
export async function runLane(
  parts: RunParts,
  notifications: Notifications,
  stopping: AbortSignal,
): Promise<void> {
  const { timings } = parts.config;
  const wakeups = createWakeups(stopping);
  const wait = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
  notifications.on('mintmark_queued', wakeups.queue.wake);
  notifications.on('mintmark_chain', wakeups.chain.wake);
  while (!stopping.aborted) {
    try {
      const lane = await acquireLane(parts, parts.holder);
      if (lane) await holdLane(lane, parts, wakeups, stopping);
    } catch (error) {
      parts.log.warn({ error: String(error) }, 'the lane of the signer has to be taken again');
      // Another process gets the lane first.
      if (error instanceof LaneStalled) await wait(timings.leaseMs);
      // An error that lasts (a key service that refuses, a full disk) must not become a busy loop.
      await wait(timings.backoffMs);
    }
    await wakeups.queue.wait(timings.queueLookMs);
  }
}
