import { setTimeout as sleep } from 'node:timers/promises';
import { checkFunds } from '../lane/funds.ts';
import type { Lane } from '../lane/lane.ts';
import { keepLease } from '../lane/lease.ts';
import { recover } from '../lane/recover.ts';
import { dispatch } from '../send/dispatch.ts';
import { withBackoff } from './backoff.ts';
import type { RunParts } from './backoff.ts';
import { createChainWatch, followChain } from './follow-chain.ts';
import type { Wakeups } from './wakeups.ts';

/**
 * Recovers a lane that was just taken, and sends and settles until it is lost or the service stops. Side by side: while
 * the node works on one batch, the database writes what became of the one before.
 * @throws what ended one of the two loops; both have ended by then
 */
export async function holdLane(
  lane: Lane,
  parts: RunParts,
  wakeups: Wakeups,
  stopping: AbortSignal,
): Promise<void> {
  let isLost = false;
  const lose = (): void => {
    isLost = true;
    wakeups.queue.wake();
    wakeups.chain.wake();
  };
  const loop = async (turn: () => Promise<void>): Promise<void> => {
    try {
      while (!stopping.aborted && !isLost) await withBackoff(parts, turn);
    } finally {
      lose();
    }
  };
  await using held = new AsyncDisposableStack();
  held.use(keepLease(lane, lose));
  lane.config.reach('lane-taken');
  await recover(lane);
  lane.config.reach('recovered');
  await checkFunds(lane);
  const ends = await Promise.allSettled([
    loop(createSendTurn(lane, wakeups)),
    loop(createSettleTurn(lane, wakeups)),
  ]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** One turn of the loop that sends: the funds now and then, and what is queued. */
function createSendTurn(lane: Lane, wakeups: Wakeups): () => Promise<void> {
  const { timings } = lane.config;
  let fundsCheckedAt = Date.now();
  return async () => {
    if (Date.now() - fundsCheckedAt > timings.fundsLookMs) {
      fundsCheckedAt = Date.now();
      await checkFunds(lane);
    }
    const dispatched = await dispatch(lane);
    if (dispatched === 'nothing') return wakeups.queue.wait(timings.queueLookMs);
    wakeups.chain.wake();
    if (dispatched === 'all') await sleep(timings.gatherMs);
  };
}

/** One turn of the loop that settles: a look at the chain. What is settled makes room for more. */
function createSettleTurn(lane: Lane, wakeups: Wakeups): () => Promise<void> {
  const { blockLookMs, queueLookMs } = lane.config.timings;
  const watch = createChainWatch();
  return async () => {
    if (await followChain(lane, watch)) wakeups.queue.wake();
    else await wakeups.chain.wait(lane.inFlight.unfinished.length > 0 ? blockLookMs : queueLookMs);
  };
}
