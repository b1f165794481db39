import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { MAY_BE_OVERTAKEN, isSwitch } from './queue.ts';
import type { NumberedCall } from './queue.ts';
import { mayBeDone } from './epochs.ts';
import { IS_VOID } from './transactions.ts';

/**
 * SQL: whether `intents l` was asked after `intents i` on its contract, and would be undone by that: a mint undoes
 * nothing, and switches undo each other, as metadata and the like do.
 */
const IS_LATER = `l.contract = i.contract and l.number > i.number and l.is_control and ${isSwitch('l')} = ${isSwitch('i')}`;

/**
 * SQL: numbers of intents with bytes that may be mined in a transaction that is theirs no more. It is found once in a
 * statement, and from what is in flight: any number of intents may be queued.
 */
const LEFT_IN_FLIGHT = `array(
            select m.intent_number from transactions t join transaction_intents m on m.transaction_id = t.id
             where t.status in ('open', 'mined') and not m.decides and not ${IS_VOID})`;

/**
 * SQL: whether `intents l` is on its way or done, or nobody can tell. One that is queued is on its way as long as bytes
 * of it may be mined: wrong counts had put it back, or a no-op that a reorg may remove.
 */
const IS_SENT = `(l.status in ('submitted', 'confirmed', 'quarantined') and l.transaction_hash is not null
             or l.status = 'queued' and l.number = any(${LEFT_IN_FLIGHT}))`;

/**
 * SQL: whether `intents l` waits in the queue, and the Operator may have done it in a transaction that was not found.
 */
const IS_MAYBE_DONE = `l.status = 'queued' and ${mayBeDone('l')}`;

/**
 * SQL: whether `intents i` would come after a later one of its contract, and may not. What was never sent is overtaken
 * by nothing.
 */
export const IS_OVERTAKEN = `(${MAY_BE_OVERTAKEN} and exists (select 1 from intents l where ${IS_LATER} and ${IS_SENT}))`;

/** Those of these intents that are overtaken, and whether by one that is done for good. */
export async function findOvertakenBy(
  db: Db,
  numbers: readonly bigint[],
): Promise<Map<bigint, 'sent' | 'done'>> {
  const rows = await query<{ number: bigint; isDone: boolean }>(
    db,
    `select i.number, exists (select 1 from intents l where ${IS_LATER} and ${IS_SENT}
                                and l.status = 'confirmed' and l.final_at is not null) as "isDone"
       from intents i where i.number = any(:numbers::bigint[]) and ${IS_OVERTAKEN}`,
    { numbers: numbers.map(String) },
  );
  return new Map(rows.map(({ number, isDone }) => [number, isDone ? 'done' : 'sent']));
}

/** What was asked later, without its call. */
export type LaterIntent = Omit<NumberedCall, 'target' | 'data'>;

/**
 * What was asked after one of these intents on its contract, and would be undone by it, waits in the queue, and may be
 * done already, in their order. There may be many: `findCall` is for those that are settled.
 */
export function findLaterMaybeDone(db: Db, numbers: readonly bigint[]): Promise<LaterIntent[]> {
  return query<LaterIntent>(
    db,
    `select l.id, l.number, l.operator, l.epoch, l.contract
       from (select distinct on (i.contract, ${isSwitch('i')}) i.contract, i.number, i.kind from intents i
              where i.number = any(:numbers::bigint[]) and ${MAY_BE_OVERTAKEN} order by i.contract, ${isSwitch('i')}, i.number) i
       join intents l on ${IS_LATER} where ${IS_MAYBE_DONE} order by l.number`,
    { numbers: numbers.map(String) },
  );
}

/** The call of a queued intent; undefined when it left the queue. */
export async function findCall(db: Db, intent: LaterIntent): Promise<NumberedCall | undefined> {
  const [call] = await query<Pick<NumberedCall, 'target' | 'data'>>(
    db,
    `select target, calldata as data from intents where number = :number and status = 'queued'`,
    { number: String(intent.number) },
  );
  return call && { ...intent, ...call };
}

/** The first intent that has overtaken this one, or may have. */
export async function findOvertaker(db: Db, number: bigint): Promise<{ id: string } | undefined> {
  const [row] = await query<{ id: string }>(
    db,
    `select l.id from intents i join intents l on ${IS_LATER}
      where i.number = :number and ${MAY_BE_OVERTAKEN} and (${IS_SENT} or l.status = 'queued' and l.in_doubt)
      order by l.number limit 1`,
    { number: String(number) },
  );
  return row;
}
