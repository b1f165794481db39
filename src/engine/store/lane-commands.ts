import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { laneBindings } from './lanes.ts';
import type { LaneKey } from './lanes.ts';
import { ENDED, LEASE, isLeased } from './leases.ts';
import type { UncountedLane } from './least-nonces.ts';
import { LOSS } from './server.ts';

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

/**
 * Asks whoever holds the lane of a signer next to fill its nonces: its holder loses it, and may take it again. False when
 * there is no such lane.
 */
export async function askToHeal(db: Db, signer: Hex): Promise<boolean> {
  const rows = await query(
    db,
    `update lanes set healing = true, term = term + 1, lease_until = ${ENDED} where signer = :signer returning 1`,
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

/**
 * Lets the lane of a signer go on at this nonce or above it, and its next holder fill those below that are unused. A holder
 * that goes on below it loses the lane. Its lost bytes count as counted, unless more commits were lost since.
 */
export async function raiseNextNonce(
  db: Db,
  { signer, loss }: Pick<UncountedLane, 'signer' | 'loss'>,
  nonce: bigint,
): Promise<void> {
  await query(
    db,
    // Whoever writes a loss down locks its row before the lanes: it waits for this, or this sees it.
    `with known as (select ${LOSS} as loss from server s for share)
     update lanes
        set next_nonce = greatest(next_nonce, :nonce), least_nonce = greatest(least_nonce, :nonce),
            lost_uncounted = lost_uncounted and known.loss <> :loss,
            healing = healing or next_nonce < :nonce, term = term + (next_nonce < :nonce)::int,
            lease_until = case when next_nonce < :nonce then ${ENDED} else lease_until end
       from known where signer = :signer`,
    { signer: toBytes(signer), loss, nonce: String(nonce) },
  );
}

/**
 * Takes note that bytes of every signer may exist that this database lacks.
 * @param signers those that sent for this service, with a lane or not
 */
export async function markUncounted(db: Db, signers: readonly Hex[]): Promise<void> {
  await query(
    db,
    // Whether it can pay for gas is known once somebody has the lane.
    `insert into lanes (signer, next_nonce, funded) select signer, 0, false from unnest(:signers::bytea[]) as s (signer)
     on conflict do nothing`,
    { signers: signers.map(toBytes) },
  );
  await query(db, 'update lanes set lost_uncounted = true where not buried');
}
