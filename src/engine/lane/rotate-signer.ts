import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { moveContracts } from '../store/contract-lanes.ts';
import { markRetiring, returnLane, seizeLane } from '../store/lane-commands.ts';
import { findLane } from '../store/lanes.ts';
import type { LaneState } from '../store/lanes.ts';

/** State of a lane whose signer is being replaced. */
export interface Retirement {
  /** Contracts that this call gave to the other lane. */
  moved: number;
  /** The lane afterwards; undefined when its signer never had one. */
  lane: LaneState | undefined;
}

/**
 * One step of moving from one signer to the next: its lane sends nothing more, and its contracts go to the lane `to`,
 * which has to exist, as soon as nothing of them is under way. To be repeated until the lane has neither contracts nor
 * transactions; whoever holds it goes on confirming those.
 */
export async function retireLane(db: Db, from: Hex, to: Hex): Promise<Retirement> {
  await markRetiring(db, from, true);
  const moved = await moveContracts(db, from, to);
  return { moved, lane: await findLane(db, from) };
}

/** Lets the lane of a signer send again; nothing happens when it does already, or has none yet. */
export async function resumeLane(db: Db, signer: Hex): Promise<void> {
  await markRetiring(db, signer, false);
}

/**
 * Borrows the lane of a signer for one transaction that is not the lane's own, so that no other process uses its nonce.
 * A service that held the lane takes it again afterwards. Of a signer without a lane the work is simply done.
 * @param seconds that the work takes at most
 * @param work gets the least nonce that it may use, and returns the one that it used
 */
export async function borrowLane<Result extends { nonce: bigint }>(
  db: Db,
  signer: Hex,
  seconds: number,
  work: (leastNonce: bigint) => Promise<Result>,
): Promise<Result> {
  const lane = await seizeLane(db, signer, { holder: 'command line', seconds });
  if (!lane) return work(0n);
  let least: bigint | null = null;
  try {
    const result = await work(lane.nextNonce);
    least = result.nonce + 1n;
    return result;
  } finally {
    await returnLane(db, { signer, term: lane.term }, least);
  }
}
