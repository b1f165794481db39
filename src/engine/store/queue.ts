import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { inList } from '../../db/in-list.ts';
import { BRAKES, SWITCHES } from '../../lib/brakes.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorNumber } from '../../lib/operator-epoch.ts';
import { isStale } from './epochs.ts';

/**
 * SQL: whether `intents i` waits in the queue. Indexes know the phase alone, in which what waits and what is submitted
 * are one: without it a statement reads all intents.
 */
export const IS_QUEUED = `i.phase = 'open' and i.status = 'queued'`;

/** SQL: whether what `intents` names is a brake, or what undoes or forbids one. */
export const isSwitch = (intents: string): string => `(${intents}.kind ${inList(SWITCHES)})`;

/** SQL: whether `intents i` is a brake that waits in the queue. */
export const IS_BRAKE_QUEUED = `${IS_QUEUED} and i.is_control and i.kind ${inList(BRAKES)}`;

/** SQL: whether `intents e`, which was asked before `intents i` on its contract, may change what becomes of that. */
export const MATTERS_TO = `(e.contract = i.contract and e.number < i.number
             and (not ${isSwitch('i')} or ${isSwitch('e')} or e.target <> e.contract))`;

/** SQL: the same of one that is open. */
export const IS_BEFORE = `(e.phase = 'open' and ${MATTERS_TO})`;

/** The call of an intent, by whose number its Operator knows it. */
export interface NumberedCall extends OperatorNumber {
  /** UUID, the public name. */
  id: string;
  contract: Hex;
  target: Hex;
  data: Hex;
}

/** An intent that waits for a transaction. */
export interface QueuedIntent extends NumberedCall {
  accountId: string;
  gasEstimate: number;
  /** The most gas that its call may use. */
  gasMax: number;
  /** How it goes, see retry-policy.ts. */
  retryStage: number;
  /** Its epoch is over, or is about to be: in the next one it goes once it is known that it was not done before. */
  isStale: boolean;
  /** It was sent before, and may not come after a later one of its contract: that one may be on its way, or done. */
  mayBeOvertaken: boolean;
}

/** Which part of the queue is looked at. */
export interface QueueLook {
  /** Contracts to leave out. */
  excluded: readonly Hex[];
  /** Operators to leave out: contracts whose next call is of one of them. */
  pausedOperators: readonly Hex[];
  /** The accounts behind this one come first, and then from the beginning; null for the beginning. */
  afterAccount: string | null;
  /** The same for the contracts of some accounts. */
  afterContracts: ReadonlyMap<string, Hex>;
  /** Accounts at the most. */
  accounts: number;
  /** Intents at the most: about so many, of all accounts together. */
  limit: number;
  /** Calldata in bytes, of all intents but the first. */
  maxBytes: number;
}

/** A contract that was looked at. */
export interface WaitingContract {
  accountId: string;
  contract: Hex;
  /** Whether something of it is queued. */
  hasQueued: boolean;
}

/** What the sender finds in the queue. */
export interface Queue {
  /** In the order of the accounts; of an account one of each contract in turn; in order within a contract. */
  queued: QueuedIntent[];
  /** The contracts of these intents, and those without any; of an account in the order of the look. */
  contracts: WaitingContract[];
}

/** With the place of its contract among those of its account; without a number where nothing of it is queued. */
type Turn = (QueuedIntent | (Pick<QueuedIntent, 'accountId' | 'contract'> & { number: null })) & {
  turn: bigint;
};

/** SQL: whether `intents i` was sent before, came back, and may not come after a later one of its contract. */
export const MAY_BE_OVERTAKEN = 'i.was_requeued and i.is_control';

/** SQL: what of `intents i` makes a QueuedIntent, besides its account and contract. */
const CALL = `i.number, i.id, i.target, i.calldata as data, i.operator, i.epoch, i.gas_estimate as "gasEstimate", i.gas_max as "gasMax",
                 i.retry_stage as "retryStage", ${isStale('i')} as "isStale", ${MAY_BE_OVERTAKEN} as "mayBeOvertaken"`;

/** The list may be long: it is sent once, as the bytes of all addresses, and hashed. */
const EXCLUDED = `excluded as materialized (
    select substring(list.bytes from 20 * n + 1 for 20) as contract
      from (select :excluded::bytea as bytes) list, generate_series(0, octet_length(list.bytes) / 20 - 1) n
  )`;
const WAITING = 'c.waiting and c.contract not in (select contract from excluded)';

/** SQL for the first account after another one that has a contract which waits. The index has this order. */
const nextAccount = (after: string): string => `
  (select c.account_id from contracts c where ${WAITING} and c.account_id > ${after} order by c.account_id limit 1)`;

/** A skip scan in each direction finds accounts without reading what they have queued. Nobody has the nil UUID. */
const ACCOUNTS = `ahead (account_id, place) as (
    select ${nextAccount(':after::uuid')}, 1
    union all
    select ${nextAccount('a.account_id')}, a.place + 1
      from ahead a where a.account_id is not null and a.place < :accounts
  ), behind (account_id, place) as (
    select case when a.count < :accounts and :after::uuid <> :nil::uuid then ${nextAccount(':nil::uuid')} end, a.count + 1
      from (select count(*)::int as count from ahead where account_id is not null) a
    union all
    select ${nextAccount('b.account_id')}, b.place + 1
      from behind b where b.account_id <= :after::uuid and b.place < :accounts
  ), seen as (
    select account_id, place from ahead where account_id is not null
    union all
    select account_id, place from behind where account_id <= :after::uuid and place <= :accounts
  ), share as (
    select greatest(:limit::int / greatest(count(*), 1), 1)::int as size from seen
  )`;

/**
 * Contracts of an account, those behind its last one first. A branch reads on from a place in the index, at most a
 * share of a look, and leaves out what it finds there of others: with an equality instead the planner sees that the
 * order is that of the primary key, and reads all of that.
 */
const CONTRACTS = `looked as (
    select s.account_id, s.place, c.contract,
           row_number() over (partition by s.place order by c.contract <= coalesce(a.contract, ''), c.contract) as turn,
           ceil(share.size::float8 / count(*) over (partition by s.place))::int as size
      from share, seen s left join unnest(:afterAccounts::uuid[], :afterContracts::bytea[]) a (account_id, contract)
        on a.account_id = s.account_id,
        lateral (
          select contract from (
            select c.account_id, c.contract from contracts c
             where ${WAITING} and (c.account_id, c.contract) > (s.account_id, coalesce(a.contract, ''))
             order by c.account_id, c.contract limit share.size) behind
           where account_id = s.account_id
          union all
          select contract from (
            select c.account_id, c.contract from contracts c
             where ${WAITING} and (c.account_id, c.contract) > (s.account_id, '') and a.contract is not null
             order by c.account_id, c.contract limit share.size) first
           where account_id = s.account_id and contract <= a.contract
          limit share.size
        ) c
  )`;

const QUEUE = `with recursive ${EXCLUDED}, ${ACCOUNTS}, ${CONTRACTS}, found as (
    select c.account_id, c.place, c.turn, c.contract, i.*,
           row_number() over (partition by c.place order by i.nth, c.turn) as rank
      from looked c left join lateral (
        select *, row_number() over (order by number) as nth from (
          select ${CALL}
            from intents i
           where ${IS_QUEUED} and (i.contract, i.number) > (c.contract, 0) and i.contract <= c.contract
           order by i.contract, i.number limit c.size
        -- The planner guesses a limit that it does not know as a tenth of all.
        ) head limit :limit
      ) i on true
  ), sized as (
    select *, coalesce(sum(octet_length(data)) over (order by rank, place rows between unbounded preceding and 1 preceding), 0) as bytes
      from found
  )
  select account_id as "accountId", turn, contract, number, id, target, data, operator, epoch, "gasEstimate", "gasMax", "retryStage",
         "isStale", "mayBeOvertaken"
    from sized where bytes <= :maxBytes order by place, rank`;

/**
 * SQL: whether what is queued first of `contracts c` is of no paused Operator: this reads the head of each contract's
 * queue.
 */
const IS_OF_NO_PAUSED = `(
          select i.operator from intents i
           where i.contract = c.contract and ${IS_QUEUED} order by i.number limit 1) = any(:paused::bytea[]) is not true`;
const QUEUE_OF_NO_PAUSED = QUEUE.replaceAll(WAITING, `${WAITING} and ${IS_OF_NO_PAUSED}`);

/**
 * Looks at the queue. Costs what it returns, and what of these contracts is in flight, whatever waits behind it, or on
 * an excluded contract.
 */
export async function findQueued(db: Db, look: QueueLook): Promise<Queue> {
  const rows = await query<Turn>(db, look.pausedOperators.length > 0 ? QUEUE_OF_NO_PAUSED : QUEUE, {
    excluded: Buffer.concat(look.excluded.map(toBytes)),
    paused: look.pausedOperators.map(toBytes),
    nil: NIL,
    after: look.afterAccount ?? NIL,
    afterAccounts: [...look.afterContracts.keys()],
    afterContracts: [...look.afterContracts.values()].map(toBytes),
    accounts: look.accounts,
    limit: look.limit,
    maxBytes: look.maxBytes,
  });
  const queued = rows.flatMap(({ turn: _turn, ...row }) => (row.number === null ? [] : [row]));
  return { queued, contracts: toContracts(rows) };
}

/** Of one account in one look: with more of them it waits for the next one. */
const MAX_AHEAD = 10;

/** SQL: whether what undoes or forbids a brake waits before `intents i` on its contract. */
const IS_BEHIND_SWITCH = `exists (
          select 1 from intents c
           where c.contract = i.contract and c.number < i.number and c.phase = 'open' and c.status = 'queued'
             and c.is_control and ${isSwitch('c')} and c.kind not ${inList(BRAKES)})`;

/**
 * Brakes, and the switches before them, are counted by their numbers; what is known of them is read of the first of
 * each account.
 */
const AHEAD = `with ${EXCLUDED}, brakes as materialized (
       select i.contract, max(i.number) as last from intents i
        where ${IS_BRAKE_QUEUED} and i.contract not in (select contract from excluded) and i.operator <> all(:paused::bytea[])
        group by i.contract
     ), ahead as materialized (
       select i.number, row_number() over (partition by i.account_id order by i.number) as rank
         from brakes b join intents i on i.contract = b.contract and i.number <= b.last
        where ${IS_QUEUED} and i.is_control and ${isSwitch('i')}
          and (not :brakesOnly or i.kind ${inList(BRAKES)} and not ${IS_BEHIND_SWITCH})
     )
     select i.account_id as "accountId", i.contract, ${CALL} from ahead a join intents i on i.number = a.number
      where a.rank <= :most
        and (select d.target = d.contract or d.status <> 'queued' from intents d
              where d.contract = i.contract and d.phase = 'open' order by d.number limit 1)
      order by a.rank, i.account_id limit :limit`;

/**
 * Finds the brakes that wait, and the switches that were asked before one on its contract: some of each account, in
 * order within a contract. None of a contract whose deployment waits.
 * @param look.brakesOnly without other switches, and what is behind these
 */
export function findBrakes(
  db: Db,
  look: Pick<QueueLook, 'excluded' | 'pausedOperators' | 'limit'> & { brakesOnly: boolean },
): Promise<QueuedIntent[]> {
  return query<QueuedIntent>(db, AHEAD, {
    excluded: Buffer.concat(look.excluded.map(toBytes)),
    paused: look.pausedOperators.map(toBytes),
    brakesOnly: look.brakesOnly,
    most: MAX_AHEAD,
    limit: look.limit,
  });
}

const NIL = '00000000-0000-0000-0000-000000000000';

function toContracts(rows: readonly Turn[]): WaitingContract[] {
  // Sorted by turn they stay by account within each turn, which is all that is asked for of the order.
  const inTurn = rows.toSorted((a, b) => Number(a.turn - b.turn));
  const contracts = new Map<Hex, WaitingContract>();
  for (const { accountId, contract, number } of inTurn)
    contracts.set(contract, { accountId, contract, hasQueued: number !== null });
  return [...contracts.values()];
}

/**
 * SQL that notes that the contracts of the queued intents `rows` wait, of accounts that are locked: `clearDrained` does
 * not change these meanwhile, so what stands there can be trusted.
 */
export const noteAccepted = (rows: string): string =>
  insertWaiting(
    `${rows} r
      where not exists (select 1 from contracts w where w.contract = r.contract and w.waiting)`,
  );

/** SQL that does the same whatever is locked. All that puts an intent back into the queue has to do it. */
export const noteRequeued = (rows: string): string => insertWaiting(`${rows} r`);

/** In the order of contracts, so that two of them wait for each other in one direction only. */
const insertWaiting = (rows: string): string =>
  `insert into contracts (contract, account_id, waiting)
   select distinct on (r.contract) r.contract, r.account_id, true from ${rows} order by r.contract
       on conflict (contract) do update set waiting = true`;

/**
 * Notes of contracts that nothing of them is queued, unless something is. A contract that waits needlessly costs each
 * look a little; one that was forgotten would wait for ever.
 */
export async function clearDrained(db: Db, contracts: readonly Hex[]): Promise<void> {
  await db.transaction(async (tx) => {
    // What is being accepted has locked its account, what goes back into the queue its contract: these stay waiting.
    const locked = await query<{ contract: Hex }>(
      tx,
      `select c.contract from contracts c join accounts a on a.id = c.account_id
        where c.contract = any(:contracts::bytea[]) for no key update of c, a skip locked`,
      { contracts: contracts.map(toBytes) },
    );
    await query(
      tx,
      `update contracts c set waiting = false
        where c.contract = any(:contracts::bytea[])
          and not exists (select 1 from intents i where i.contract = c.contract and ${IS_QUEUED})`,
      { contracts: locked.map(({ contract }) => toBytes(contract)) },
    );
  });
}
