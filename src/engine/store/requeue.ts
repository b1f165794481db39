import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { LaneKey } from './lanes.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { UNTRIED } from '../retry-policy.ts';
import { IS_BEFORE, MATTERS_TO, noteRequeued } from './queue.ts';
import { ARE_COMMITS_LOST, mayBeDoneByUnknown } from './epochs.ts';
import { isAbandoned } from './leases.ts';
import { WAS_DISPLACED, IS_IN_FLIGHT, IS_VOID } from './transactions.ts';

/** How an intent goes back into the queue. */
export interface Requeue {
  number: bigint;
  /** At least this stage of retry-policy.ts. */
  retryStage: number;
  /** Gas that it used on the chain in vain, or its transaction, in which it was alone. */
  burntGas: number;
  /** It is in doubt from then on: nobody may cancel it. */
  inDoubt: boolean;
}

/**
 * Sets intents back to `queued`, at the place that their number gives them, and sets their contracts to waiting. Lanes
 * read only waiting contracts, so no other statement sets an intent back to `queued`. No transaction decides on them
 * any more. Returns the numbers that moved.
 */
export async function requeueIntents(
  tx: Tx,
  intents: readonly Requeue[],
  from: 'queued' | 'submitted' | 'confirmed' | 'quarantined',
): Promise<bigint[]> {
  if (intents.length === 0) return [];
  const rows = await query<{ number: bigint }>(
    tx,
    `with moved as (
     update intents i
        set status = 'queued', phase = 'open', result = null, transaction_hash = null, decided_by = null, updated_at = now(),
            sequence = i.sequence + (i.status = 'confirmed')::int,
            retry_stage = greatest(i.retry_stage, r.retry_stage), burnt_gas = i.burnt_gas + r.burnt_gas,
            in_doubt = i.in_doubt or r.in_doubt, was_requeued = i.was_requeued or i.status <> 'queued'
       from unnest(:numbers::bigint[], :retryStages::int[], :burntGas::int[], :inDoubt::boolean[])
              as r (number, retry_stage, burnt_gas, in_doubt)
      where i.number = r.number and i.status = :from and i.final_at is null
     returning i.number, i.contract, i.account_id
     ), noted as (${noteRequeued('moved')})
     select number from moved`,
    {
      numbers: intents.map(({ number }) => String(number)),
      retryStages: intents.map(({ retryStage }) => retryStage),
      burntGas: intents.map(({ burntGas }) => burntGas),
      inDoubt: intents.map(({ inDoubt }) => inDoubt),
      from,
    },
  );
  return rows.map(({ number }) => number);
}

/**
 * Puts calls back into the queue that lanes which nobody holds have had open for `stuckMs`, or since a time that is
 * still to come (the clock of the database was set back), so that the sender carries them too. The bytes may be mined
 * all the same: the bit lets one of both have its effect, and a failure waits for both. None of a contract with a
 * control among what is open, for what two signers send has no order. Returns how many, of `limit` at the most.
 */
export function carryAbandoned(
  db: Db,
  sender: Pick<LaneKey, 'signer'>,
  { stuckMs, limit }: { stuckMs: number; limit: number },
): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await query<{ number: bigint }>(
      tx,
      `with open as materialized (
         select i.number, i.contract, i.is_control, i.status = 'submitted' and m.decides as is_decided_by_it, t.created_at
           from transactions t join lanes l using (signer)
           join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
          where t.status = 'open' and ${isAbandoned('l')} and not ${ARE_COMMITS_LOST} and t.signer <> :signer
            and exists (select 1 from lanes s where s.signer = :signer and s.is_sender)
       )
       select number from open
        where is_decided_by_it and created_at not between now() - :stuckMs * interval '1 millisecond' and now()
          and contract not in (select contract from open where is_control)
        order by number limit :limit`,
      { signer: toBytes(sender.signer), stuckMs, limit },
    );
    const numbers = rows.map(({ number }) => number);
    return (await requeueIntents(tx, numbers.map(unchanged), 'submitted')).length;
  });
}

/**
 * Puts calls back into the queue whose transactions are void: those of an Operator and of an epoch before this one,
 * which has begun.
 */
export async function requeueVoid(tx: Tx, { operator, epoch }: OperatorEpoch): Promise<void> {
  const rows = await query<{ number: bigint }>(
    tx,
    `select i.number from transactions t join intents i on i.decided_by = t.id and i.number = any(t.intent_numbers)
      where t.status = 'open' and t.operator = :operator and t.epoch < :epoch and i.status = 'submitted'
      order by i.number for update of i`,
    { operator: toBytes(operator), epoch: String(epoch) },
  );
  await requeueIntents(
    tx,
    rows.map(({ number }) => unchanged(number)),
    'submitted',
  );
}

/** Unlinks intents from their finished transactions, and puts those of them back into the queue that are submitted. */
export async function requeueMembers(tx: Tx, intents: readonly Requeue[]): Promise<void> {
  if (intents.length === 0) return;
  await query(
    tx,
    `update intents set decided_by = null where number = any(:numbers::bigint[]) and decided_by is not null`,
    { numbers: intents.map(({ number }) => String(number)) },
  );
  await requeueIntents(tx, intents, 'submitted');
}

/** Transactions that were stored near one, or last: they may be final, and in later blocks. */
const NEAR = 1_000;

/** SQL, of `transactions t`: its place, and what it may have done there. */
const PLACE = 't.signer, t.nonce, t.block_number, t.mined_hash, t.intent_numbers';

/** SQL: whether `transactions t` may be in a later place than one of what is `asked`. */
const MAY_BE_LATER = 't.block_number >= (select min(block_number) from asked)';

/**
 * Those of these intents whose turn had not come, so that what became of them is no verdict: an earlier one on their
 * contract, which may change that and is not of them, may still be sent, or was done after them. That one went again,
 * or a deep reorg mined what two signers sent in another order.
 */
export async function findBehind(tx: Tx | Db, numbers: readonly bigint[]): Promise<Set<bigint>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ number: bigint }>(
    tx,
    // Once for all of them: they may be hundreds of one block, and so may the calls of each of the other transactions.
    `with asked as materialized (
       select i.number, i.contract, i.kind, t.id, t.signer, t.nonce, t.block_number
         from intents i left join transactions t on t.id = i.decided_by where i.number = any(:numbers::bigint[])
     ), later as materialized (
       select ${PLACE}
         from (select distinct generate_series(id / ${NEAR} - 1, id / ${NEAR} + 1) as page from asked) p
         join transactions t on t.id >= p.page * ${NEAR} and t.id < (p.page + 1) * ${NEAR} where t.status = 'final' and ${MAY_BE_LATER}
       union all
       select ${PLACE} from transactions t where t.status = 'mined' and ${MAY_BE_LATER}
     ), calls as (
       select contract, block_number, number as asked, null::bigint as number, null as kind, null::bytea as target,
              null::bytea as signer, null::bigint as nonce from asked
       union all
       select e.contract, t.block_number, null, e.number, e.kind, e.target, t.signer, t.nonce
         from later t cross join lateral unnest(t.intent_numbers) as m (number)
         -- One by one, by the offset: the planner expects so many that it would read all intents instead.
         cross join lateral (select * from intents where number = m.number offset 0) e
        where e.status = 'confirmed' and e.transaction_hash = t.mined_hash and m.number < (select max(number) from asked)
          and e.contract = any(array(select distinct contract from asked))
     ), done as materialized (
       -- In no earlier place than what was asked for after them: few, as long as blocks keep the order.
       select c.* from (select *, max(asked) over (partition by contract order by block_number) as newest from calls) c
        where c.number < c.newest
     )
     select i.number from asked i
      where exists (select 1 from intents e where ${IS_BEFORE} and not e.number = any(:numbers::bigint[]))
     union
     select i.number from asked i join done e on ${MATTERS_TO}
        and e.block_number >= i.block_number and (e.signer <> i.signer or e.nonce > i.nonce)`,
    { numbers: numbers.map(String) },
  );
  return new Set(rows.map(({ number }) => number));
}

/**
 * Whether what `findBehind` asks for was done in a block above this one: a reorg took it back meanwhile, and it went
 * again.
 */
export function isDoneAbove(tx: Tx, number: bigint, { number: block }: BlockId): Promise<boolean> {
  return hasRows(
    tx,
    `select 1 from intents i
       join (select * from transactions where status = 'mined' union all
             (select * from transactions order by id desc limit ${NEAR})) later on later.block_number > :block
       join intents e on e.number = any(later.intent_numbers) and e.status = 'confirmed'
        and e.transaction_hash = later.mined_hash and ${MATTERS_TO}
      where i.number = :number limit 1`,
    { number: String(number), block: String(block) },
  );
}

/** What may have done an intent. */
export interface Doubts {
  /** It may be done in a transaction that was not found, or that has lost its nonce as it seems. */
  mayBeDoneByOurs: boolean;
  /**
   * It may be done in one that is not known: its epoch is over, or is about to be, or this database may lack commits.
   */
  mayBeDoneByUnknown: boolean;
}

/** SQL: those of `intents i`. */
export const DOUBTS = `i.in_doubt or ${WAS_DISPLACED} as "mayBeDoneByOurs", ${mayBeDoneByUnknown('i')} as "mayBeDoneByUnknown"`;

/**
 * Those of an intent on which no transaction decides; `isInFlight`: it was signed for in one which may be mined yet.
 */
export async function findDoubts(tx: Tx | Db, number: bigint): Promise<Doubts & { isInFlight: boolean }> {
  const [row] = await query<Doubts & { isInFlight: boolean }>(
    tx,
    `select ${IS_IN_FLIGHT} as "isInFlight", ${DOUBTS} from intents i where i.number = :number`,
    { number: String(number) },
  );
  return row!;
}

/**
 * Assigns intents whose transaction is finished to another transaction of theirs that may still be mined: its end is
 * their verdict. Returns those that have one.
 */
export async function leaveToUnfinished(tx: Tx, numbers: readonly bigint[]): Promise<Set<bigint>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ number: bigint; id: bigint }>(
    tx,
    // The lock keeps it unfinished until this is written.
    `select i.number, t.id from intents i join transactions t on t.id = any(i.sent_in)
      where i.number = any(:numbers::bigint[]) and t.id is distinct from i.decided_by and t.status in ('open', 'mined')
        and not ${IS_VOID}
      order by t.id for no key update of t`,
    { numbers: numbers.map(String) },
  );
  const newest = new Map(rows.map(({ number, id }) => [number, id]));
  if (newest.size === 0) return new Set();
  await query(
    tx,
    `update intents i set decided_by = n.id from unnest(:numbers::bigint[], :ids::bigint[]) as n (number, id)
      where i.number = n.number`,
    { numbers: [...newest.keys()].map(String), ids: [...newest.values()].map(String) },
  );
  return new Set(newest.keys());
}

/** Back into the queue as it was. */
export const unchanged = (number: bigint): Requeue => ({
  number,
  retryStage: UNTRIED,
  burntGas: 0,
  inDoubt: false,
});
