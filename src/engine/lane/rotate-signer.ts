import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { markRetiring, returnLane, seizeLane } from '../store/lane-commands.ts';
import { findLane } from '../store/lanes.ts';
import type { LaneState } from '../store/lanes.ts';

/**
 * One step of moving from one signer to the next: its lane takes no new calls from here on, and another one does. To be repeated
 * until the lane has no transactions; its holder goes on confirming those. Returns the lane; undefined when its signer never had one.
 */
export async function retireLane(db: Db, from: Hex): Promise<LaneState | undefined> {
  await markRetiring(db, from, true);
  return findLane(db, from);
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
