import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { laneBindings } from './lanes.ts';
import type { LaneKey } from './lanes.ts';
import { ENDED, LEASE, isLeased } from './leases.ts';

/* What commands do with lanes, whoever holds them. */

/** Takes the lane from its holder, for so many seconds, in which another one may be the sender; undefined when there is no such lane. */
export async function seizeLane(
  db: Db,
  signer: Hex,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<{ term: bigint; nextNonce: bigint } | undefined> {
  const [row] = await query<{ term: bigint; nextNonce: bigint }>(
    db,
    `update lanes set term = term + 1, holder = :holder, is_sender = false, ${LEASE}
      where signer = :signer returning term, next_nonce as "nextNonce"`,
    { holder, leaseMs: seconds * 1_000, signer: toBytes(signer) },
  );
  return row;
}

/**
 * Gives a lane up, and stores the first nonce that the next holder may use.
 * @param least null when none was used
 */
export async function returnLane(db: Db, lane: LaneKey, least: bigint | null): Promise<void> {
  await query(
    db,
    // `greatest` leaves nulls out.
    `update lanes set lease_until = ${ENDED}, next_nonce = greatest(next_nonce, :least::bigint),
            least_nonce = greatest(least_nonce, :least::bigint)
      where signer = :signer and term = :term`,
    { ...laneBindings(lane), least: least === null ? null : String(least) },
  );
}

/** Marks a lane; a holder that does not know yet loses it, and takes it again. Nothing happens when it is marked so. */
export async function markRetiring(db: Db, signer: Hex, retiring: boolean): Promise<void> {
  await query(
    db,
    `update lanes set retiring = :retiring, is_sender = false, term = term + 1, lease_until = ${ENDED}
      where signer = :signer and retiring <> :retiring`,
    { retiring, signer: toBytes(signer) },
  );
}

/** Takes the lane of a signer from its holder, who may take it again. False when there is no such lane. */
export async function releaseLane(db: Db, signer: Hex): Promise<boolean> {
  const rows = await query(
    db,
    `update lanes set term = term + 1, lease_until = ${ENDED} where signer = :signer returning 1`,
    { signer: toBytes(signer) },
  );
  return rows.length > 0;
}

/** Marks a lane that nobody holds as buried; false when somebody does, or there is no such lane. */
export async function markBuried(tx: Tx, signer: Hex): Promise<boolean> {
  const rows = await query(
    tx,
    `update lanes l set retiring = true, buried = true, is_sender = false, term = term + 1
      where signer = :signer and not ${isLeased('l')} returning 1`,
    { signer: toBytes(signer) },
  );
  return rows.length > 0;
}
