import type { Db } from '../db/client.ts';
import { findLane } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { becomesTrue } from './becomes-true.ts';

/** A lane that was just marked, or whose holder was busy, has no holder until it is taken again: a lease and a look later. */
const LEASE_GRACE_MS = 8_000;

/** Whether a process works with the lane of a signer. A lane without a holder is looked at for a while. */
export function isLaneInUse(db: Db, signer: Hex): Promise<boolean> {
  return becomesTrue(async () => (await findLane(db, signer))?.isHeld === true, LEASE_GRACE_MS);
}
