import { setTimeout as sleep } from 'node:timers/promises';
import type { Notifications } from '../../db/notifications.ts';
import { LaneStalled, acquireLane, keepLease } from '../lane/lease.ts';
import type { LaneLoop } from '../lane/lease.ts';
import { createWakeup } from '../../lib/wakeups.ts';
import type { Wakeup } from '../../lib/wakeups.ts';
import { createFeeReader, checkFunds } from '../lane/funds.ts';
import type { Lane, LaneParts } from '../lane/lane.ts';
import { loadLane } from '../lane/load.ts';
import { pauseForSigner, pauseIfBudgetSpent } from '../lane/pause.ts';
import { SignerFailed } from '../lane/sign.ts';
import { dispatch } from '../send/dispatch.ts';
import { fillGivenUp } from '../send/free-nonces.ts';
import { createLaneWatch, watchLane } from './watch-lane.ts';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';

/** One for each loop of a lane: something to send, and something to look for in the chain. */
export interface Wakeups {
  queue: Wakeup;
  chain: Wakeup;
}

export const createWakeups = (stopping: AbortSignal): Wakeups => ({
  queue: createWakeup(stopping),
  chain: createWakeup(stopping),
});

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

/**
 * Recovers a lane that was just taken, and sends and watches until it is lost or the service stops, side by side.
 * @throws what ended one of the two loops; both have ended by then. LaneStalled when one of them gets nowhere, and may
 *   never end, or no endpoint answers: the lane is no more its own
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
  await using lease = keepLease(lane, lose, parts.rpc.unreachableForMs);
  const loop = async (name: LaneLoop, turn: () => Promise<void>): Promise<void> => {
    try {
      while (!stopping.aborted && !isLost)
        if (await withBackoff(parts, () => pauseIfUnsigned(lane, turn))) lease.progressed(name);
    } finally {
      lose();
    }
  };
  lane.config.reach('lane-taken');
  await loadLane(lane);
  lane.config.reach('recovered');
  await checkFunds(lane);
  const loops = Promise.allSettled([
    loop('send', createSendTurn(lane, wakeups)),
    loop('watch', createWatchTurn(lane, wakeups)),
  ]);
  const ends = await Promise.race([loops, lease.givenUp]);
  if (ends instanceof LaneStalled) throw ends;
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Pauses the lane when its signer does not sign; its verdicts go on. */
async function pauseIfUnsigned(lane: Lane, turn: () => Promise<void>): Promise<void> {
  try {
    await turn();
  } catch (error) {
    if (!(error instanceof SignerFailed)) throw error;
    await pauseForSigner(lane, error);
  }
}

/** One turn of the loop that sends: the funds now and then, and what is queued. */
function createSendTurn(lane: Lane, wakeups: Wakeups): () => Promise<void> {
  const { timings } = lane.config;
  const readFees = createFeeReader(lane);
  let fundsCheckedAt = performance.now();
  return async () => {
    if (performance.now() - fundsCheckedAt > timings.fundsLookMs) {
      fundsCheckedAt = performance.now();
      await checkFunds(lane);
      readFees();
      // `/ready` says so before anything waits.
      if (!lane.health.pause) await pauseIfBudgetSpent(lane);
    }
    const dispatched = await dispatch(lane);
    if (dispatched === 'nothing') return wakeups.queue.wait(timings.queueLookMs);
    lane.chain.expectBlock();
    if (dispatched === 'all') await sleep(timings.gatherMs);
  };
}

/** One turn of the loop that watches: what became of what was sent. What is settled makes room for more. */
function createWatchTurn(lane: Lane, wakeups: Wakeups): () => Promise<void> {
  const { queueLookMs } = lane.config.timings;
  const watch = createLaneWatch();
  return async () => {
    // A signer that does not sign is asked again by the loop that sends, after a pause.
    if (lane.health.pause?.reason !== 'signer') await fillGivenUp(lane);
    if (await watchLane(lane, watch)) wakeups.queue.wake();
    else await wakeups.chain.wait(queueLookMs);
  };
}

/** What a lane is run with. */
export interface RunParts extends LaneParts {
  rpc: Pick<Rpc, 'call' | 'callEach' | 'unreachableForMs'>;
  /** Name of this process, the same for all of its lanes. */
  holder: string;
}

/**
 * Lets a loop of the lane take a turn; an endpoint that fails it costs a pause, and not the lane. Returns whether the
 * turn was taken.
 */
async function withBackoff(parts: RunParts, turn: () => Promise<void>): Promise<boolean> {
  try {
    await turn();
    return true;
  } catch (error) {
    // Whether a write of the database happened is unknown after its error: only taking the lane again tells.
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) throw error;
    parts.log.warn({ error: String(error) }, 'an endpoint failed the lane, which goes on after a pause');
    await sleep(parts.config.timings.backoffMs);
    return false;
  }
}
