import type { Db } from '../db/client.ts';
import { findLane } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { becomesTrue } from './becomes-true.ts';

/**
 * Lease (5 s) plus the interval at which processes look for free lanes (1 s), with a margin: a lane that lost its
 * holder is taken again in that time.
 */
const LEASE_GRACE_MS = 8_000;

/** Whether a process works with the lane of a signer. A lane without a holder is looked at for a while. */
export function isLaneInUse(db: Db, signer: Hex): Promise<boolean> {
  return becomesTrue(async () => (await findLane(db, signer))?.isHeld === true, LEASE_GRACE_MS);
}
