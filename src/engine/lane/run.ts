import { setTimeout as sleep } from 'node:timers/promises';
import type { Notifications } from '../../db/notifications.ts';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import { confirm } from '../settle/confirm.ts';
import type { Watch } from '../settle/confirm.ts';
import { dispatch } from '../send/dispatch.ts';
import { LaneLost, acquireLane } from './lane.ts';
import type { Lane, LaneParts } from './lane.ts';
import { recover } from '../settle/reorg.ts';
import { failQueued } from '../settle/receipt.ts';
import { findNeverSent } from '../store/verdicts.ts';

/** Holds the lane of one signer whenever nobody else does, until `stopping`. */
export async function runLane(
  parts: LaneParts,
  notifications: Notifications,
  stopping: AbortSignal,
): Promise<void> {
  const { timings } = parts.config;
  const bells = { queue: createBell(stopping), chain: createBell(stopping) };
  notifications.on('mintmark_queued', bells.queue.ring);
  while (!stopping.aborted) {
    try {
      const lane = await acquireLane(parts);
      if (lane) await holdLane(lane, parts, bells, stopping);
    } catch (error) {
      parts.log.warn({ error: String(error) }, 'the lane of the signer has to be taken again');
      await failOutOfReach(parts, error);
      // Whatever lasts (a key service that refuses, a full disk) shall not be met as fast as the machine can.
      await sleep(timings.backoffMs, undefined, { signal: stopping }).catch(() => undefined);
    }
    await bells.queue.wait(timings.queueLookMs);
  }
}

/** What wakes the two sides of a lane: something to send, and something to look for in the chain. */
interface Bells {
  queue: Bell;
  chain: Bell;
}

async function holdLane(lane: Lane, parts: LaneParts, bells: Bells, stopping: AbortSignal): Promise<void> {
  const { timings } = lane.config;
  let lost = false;
  const lose = (): void => {
    lost = true;
    bells.queue.ring();
    bells.chain.ring();
  };
  const stopRenewing = keepLease(lane, lose);
  const watch: Watch = { block: '0x', lookedAt: 0, sentAt: Date.now(), since: new Map() };
  let fundsAt = Date.now();
  const send = async (): Promise<void> => {
    if (Date.now() - fundsAt > timings.fundsLookMs) {
      fundsAt = Date.now();
      await lane.checkFunds();
    }
    const done = await dispatch(lane);
    if (done === 'nothing') return bells.queue.wait(timings.queueLookMs);
    bells.chain.ring();
    if (done === 'all') await sleep(timings.gatherMs);
  };
  const settle = async (): Promise<void> => {
    if (await confirm(lane, watch)) bells.queue.ring();
    else await bells.chain.wait(lane.unfinished.length > 0 ? timings.blockLookMs : timings.queueLookMs);
  };
  const keepOn = async (side: () => Promise<void>): Promise<void> => {
    try {
      while (!stopping.aborted && !lost) await stumble(lane, parts, side);
    } finally {
      lose();
    }
  };
  try {
    lane.config.reach('lane-taken');
    await recover(lane);
    lane.config.reach('recovered');
    await lane.checkFunds();
    // Side by side: while the node works on one batch, the database writes what became of the one before. Both have
    // ended before the lane is given up.
    const ends = await Promise.allSettled([keepOn(send), keepOn(settle)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    await stopRenewing();
    await lane.giveUp().catch(() => undefined);
  }
}

/**
 * Renews the lease until the function that it answers is called, which waits for the last renewal: one that came after
 * the lane was given up would keep everybody out of it.
 */
function keepLease(lane: Lane, lose: () => void): () => Promise<void> {
  let isPending = false;
  let last = Promise.resolve();
  const renew = async (): Promise<void> => {
    isPending = true;
    try {
      await lane.renew();
    } catch (error) {
      if (error instanceof LaneLost) lose();
    } finally {
      isPending = false;
    }
  };
  const look = (): void => {
    if (!isPending) last = renew();
  };
  const timer = setInterval(look, lane.config.timings.leaseMs / 3);
  return () => {
    clearInterval(timer);
    return last;
  };
}

/** Lets one side of the lane act; an endpoint that fails it costs a pause, and not the lane. */
async function stumble(lane: Lane, parts: LaneParts, side: () => Promise<void>): Promise<void> {
  try {
    await side();
  } catch (error) {
    // Whether a write of the database happened is unknown after its error: only taking the lane again tells.
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) throw error;
    lane.log.warn({ error: String(error) }, 'the lane stumbled and goes on');
    await failOutOfReach(parts, error);
    await sleep(lane.config.timings.backoffMs);
  }
}

async function failOutOfReach(parts: LaneParts, error: unknown): Promise<void> {
  const { timings } = parts.config;
  // Asked again after each pause: another lane, or the other side of this one, may have been answered meanwhile.
  const outOfReach = (): boolean => parts.rpc.unreachableForMs() >= timings.outOfReachMs;
  if (
    !(error instanceof RpcUnreachable) ||
    !outOfReach() ||
    (await answers(parts.rpc, timings.lastWordMs)) ||
    !outOfReach()
  )
    return;
  try {
    const numbers = await findNeverSent(parts.db, parts.holder, 1_000);
    if (!outOfReach()) return;
    const message = 'The chain is out of reach; nothing was sent and nothing was spent';
    await failQueued(
      parts,
      numbers.map((number) => ({ number, error: { code: 'CHAIN_ERROR', message }, transactionHash: null })),
    );
  } catch (databaseError) {
    parts.log.warn({ error: String(databaseError) }, 'cannot give back what was queued yet');
  }
}

/** Asks some last times before anything is given up: two calls in a row that met bad luck are no outage. */
async function answers(rpc: Rpc, timeoutMs: number): Promise<boolean> {
  // Apart from one another, so that they do not travel together.
  const asked = [0, 1, 2, 3, 4].map(async (turn) => {
    await sleep((turn * timeoutMs) / 20);
    await rpc.call('eth_chainId', []);
  });
  const heard = Promise.any(asked).then(
    () => true,
    () => false,
  );
  return Promise.race([heard, sleep(timeoutMs, false, { ref: false })]);
}

interface Bell {
  ring: () => void;
  /** Returns when the bell rings, has rung since the last wait, the service stops, or after `ms` milliseconds. */
  wait(ms: number): Promise<void>;
}

function createBell(stopping: AbortSignal): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  stopping.addEventListener('abort', ring);
  return {
    ring,
    wait: async (ms) => {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      rung = false;
      wake = null;
    },
  };
}
