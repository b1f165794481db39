import { hasRows, query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { IS_EPOCH_PENDING, IS_OTHER_SERVER } from './epochs.ts';
import { laneBindings } from './lanes.ts';
import type { LaneKey } from './lanes.ts';
import { isLeased } from './leases.ts';
import { NOTICE_OF_QUEUED } from './notices.ts';
import { IS_BRAKE_QUEUED, IS_QUEUED } from './queue.ts';
import { IS_VOID } from './transactions.ts';

/* Which lane takes new calls: that of one signer, the sender. Others stand by, and mind what they have in flight. */

/** SQL: whether a process holds `lanes s`, which is the sender. */
const IS_SENDING = `s.is_sender and ${isLeased('s')}`;

/** SQL: how many Operators execute nothing of a signer since it is no executor of theirs. */
const missingRoles = (lane: string): string =>
  `(select count(*) from paused_operators r where r.signer = ${lane}.signer and r.reason = 'no-role')`;

/**
 * SQL: whether another lane than `lanes l` can do more: it is well, and `l` is not; or more Operators have its signer
 * as an executor.
 */
const IS_OTHER_BETTER = `exists (
          select 1 from lanes o
           where o.signer <> l.signer and ${isLeased('o')} and not o.retiring and o.funded and o.trouble is null
             and (not :isWell or ${missingRoles('o')} < ${missingRoles('l')}))`;

/** What a lane finds when it looks for something to send. */
export interface SenderLook {
  isSender: boolean;
  /** No process holds the lane that is the sender, or there is none. */
  isVacant: boolean;
  /** Whether anything is queued, and an Operator is not paused. */
  isAnyQueued: boolean;
  /** Whether a brake is, which goes before what else of its contract waits. */
  isBrakeQueued: boolean;
  /** An Operator's epoch is to be raised, or is not raised for good yet. */
  isEpochPending: boolean;
  /** Identity of the server, while another process may have sent what is lost there. */
  suspected: string | null;
  /**
   * Contracts of which something is in an unfinished transaction of another signer, for calls of two signers have no
   * order. A mint or deployment counts there unless the sender goes on with it: it is queued, or another transaction
   * decides on it.
   */
  underWay: Hex[];
}

/** SQL: of `intents i` what counts as under way for `:signer`, see `SenderLook`. */
const UNDER_WAY = `
  from transactions t join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
 where t.status in ('open', 'mined') and t.signer <> :signer and not ${IS_VOID}
   and (m.decides or i.is_control or i.decided_by is null and i.status <> 'queued')`;

/** What of a contract another signer has under way; undefined for nothing. */
export async function findUnderWay(
  db: Db,
  contract: Hex,
  signer: Hex,
): Promise<{ id: string; createdAt: Date } | undefined> {
  const [row] = await query<{ id: string; createdAt: Date }>(
    db,
    `select i.id, i.created_at as "createdAt" ${UNDER_WAY} and i.contract = :contract order by i.number limit 1`,
    { contract: toBytes(contract), signer: toBytes(signer) },
  );
  return row;
}

/**
 * One look for one lane. PostgreSQL plans and runs it in a tenth of the time of a look at the queue, and most looks of
 * an idle service find nothing.
 * @param pausedOperators Operators whose calls wait; when all of them do, nothing counts as queued
 */
export async function readSenderLook(
  db: Db,
  { signer }: LaneKey,
  pausedOperators: readonly Hex[],
): Promise<SenderLook> {
  const [look] = await query<SenderLook>(
    db,
    // `waiting` of a contract spares most looks what is in flight.
    `select exists (select 1 from lanes where signer = :signer and is_sender) as "isSender",
            not exists (select 1 from lanes s where ${IS_SENDING}) as "isVacant",
            exists (select 1 from contracts where waiting)
            and exists (select 1 from intents i where ${IS_QUEUED})
            and (cardinality(:paused::bytea[]) = 0
                 or exists (select 1 from operators where address <> all(:paused::bytea[]))) as "isAnyQueued",
            exists (select 1 from intents i where ${IS_BRAKE_QUEUED}) as "isBrakeQueued",
            ${IS_EPOCH_PENDING} as "isEpochPending",
            (select identity from server where is_suspect) as suspected,
            array(select distinct i.contract ${UNDER_WAY}) as "underWay"`,
    { signer: toBytes(signer), paused: pausedOperators.map(toBytes) },
  );
  return look!;
}

/**
 * Becomes the sender, if no process holds the lane that is it; one that is not well leaves that to another lane that
 * is. Nothing is stored for the last sender after that: storing a transaction asks its row.
 * @returns whether it did
 */
export function becomeSender(db: Db, lane: LaneKey, isWell: boolean): Promise<boolean> {
  return db.transaction(async (tx) => {
    // One at a time.
    await query(tx, 'select 1 from lanes order by signer for update');
    const bindings = { ...laneBindings(lane), isWell };
    const may = await query(
      tx,
      `select 1 from lanes l
        where signer = :signer and term = :term and not retiring and not ${IS_OTHER_SERVER}
          and not exists (select 1 from lanes s where ${IS_SENDING}) and not ${IS_OTHER_BETTER}`,
      bindings,
    );
    if (may.length === 0) return false;
    // The index lets one row at a time be the sender.
    await query(tx, 'update lanes set is_sender = false where is_sender');
    await query(tx, 'update lanes set is_sender = true where signer = :signer', laneBindings(lane));
    return true;
  });
}

/** Lets another lane become the sender, if one can do more. Returns whether there is one. */
export function yieldSender(db: Db, lane: LaneKey, isWell: boolean): Promise<boolean> {
  return hasRows(
    db,
    `with yielded as (
       update lanes l set is_sender = false
        where signer = :signer and term = :term and is_sender and ${IS_OTHER_BETTER} returning 1
     )
     ${NOTICE_OF_QUEUED} from yielded`,
    { ...laneBindings(lane), isWell },
  );
}
