import { hasRows } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { laneBindings } from './lanes.ts';
import type { LaneKey, PausedOperator } from './lanes.ts';

/** Notes that an Operator executes nothing of a lane. Returns whether this is new, and the lane still ours. */
export function storePausedOperator(
  db: Db,
  lane: LaneKey,
  { operator, reason }: Pick<PausedOperator, 'operator' | 'reason'>,
): Promise<boolean> {
  return hasRows(
    db,
    // The lock lets nobody take the lane, and forget what its last holder found, before this is written.
    `insert into paused_operators as r (signer, operator, reason)
     select signer, :operator, :reason from lanes where signer = :signer and term = :term for share
         on conflict (signer, operator) do update set reason = excluded.reason, since = now()
      where r.reason <> excluded.reason
     returning 1`,
    { ...laneBindings(lane), operator: toBytes(operator), reason },
  );
}

/** Notes that it executes again. Returns whether this is new, and the lane still ours. */
export function deletePausedOperator(db: Db, lane: LaneKey, operator: Hex): Promise<boolean> {
  return hasRows(
    db,
    `delete from paused_operators r using lanes l
      where r.signer = l.signer and r.operator = :operator and l.signer = :signer and l.term = :term returning 1`,
    { ...laneBindings(lane), operator: toBytes(operator) },
  );
}
