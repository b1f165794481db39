import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneKey } from './lanes.ts';
import { isAbandoned, isLeased } from './leases.ts';
import { IS_QUEUED } from './phase.ts';
import { ARE_COMMITS_LOST } from './server.ts';

/** Condition for `lanes l` that take contracts. */
const CAN_SEND = `${isLeased('l')} and not l.retiring and l.funded and l.pause_reason is null`;

/** SQL: an expression of `intents i`, of what is queued first of a contract; null when nothing is. */
export const firstQueued = (expression: string, contract: string): string => `(
          select ${expression} from intents i
           where i.contract = ${contract} and ${IS_QUEUED} order by i.number limit 1)`;

/** SQL: whether another lane than that of `signer` can send what is queued first of `contract_lanes c`. */
const canSendElsewhere = (signer: string): string => `exists (
          select 1 from lanes l
           where l.signer <> ${signer} and ${CAN_SEND}
             and not exists (select 1 from paused_operators r
                              where r.signer = l.signer and r.operator = ${firstQueued('i.operator', 'c.contract')}))`;

/** Whether something of a contract of `contract_lanes c` is in a transaction without a final verdict. */
const IS_UNDER_WAY = `exists (
          select 1 from transactions t
            join transaction_intents m on m.transaction_id = t.id
            join intents i on i.number = m.intent_number
           where t.signer = c.signer and t.status in ('open', 'mined') and i.contract = c.contract)`;

/** The lane of a contract; undefined before its first transaction. */
export async function findContractLane(db: Db, contract: Hex): Promise<Hex | undefined> {
  const [row] = await query<{ signer: Buffer }>(
    db,
    'select signer from contract_lanes where contract = :contract and signer is not null',
    { contract: toBytes(contract) },
  );
  return row && toHex(row.signer);
}

/**
 * Gives contracts that have no lane yet to this one: its share, so that the lanes that can send get as many each.
 * What is left over is for the others, and at the next look for whoever comes first. Returns those that it got;
 * none for a process that lost the lane.
 * @param isFit else it gets only those whose calls no other lane can send
 */
export async function claimContracts(
  db: Db,
  lane: LaneKey,
  contracts: readonly Hex[],
  isFit = true,
): Promise<Set<Hex>> {
  const rows = await query<{ contract: Buffer }>(
    db,
    // The lock lets nobody retire the lane, and move its contracts, before this is written.
    `with own as (
       select signer from lanes where signer = :signer and term = :term and not retiring for share
     ), working as (
       select greatest(count(*), 1) as lanes from lanes l where ${CAN_SEND}
     ), free as (
       select c.contract, own.signer from own, contract_lanes c
        where c.contract = any(:contracts::bytea[]) and c.signer is null
          and (:isFit or not ${canSendElsewhere(':signer')})
        order by c.contract
        limit (select ceil(:count::float8 / lanes) from working)
          for no key update of c
     )
     update contract_lanes c set signer = free.signer
       from free where c.contract = free.contract and c.signer is null
     returning c.contract`,
    {
      signer: toBytes(lane.signer),
      term: String(lane.term),
      contracts: contracts.map(toBytes),
      count: contracts.length,
      isFit,
    },
  );
  return new Set(rows.map(({ contract }) => toHex(contract)));
}

/**
 * SQL that notes that the contracts of the queued intents `rows` wait, of accounts that are locked: `clearDrained` does
 * not change these meanwhile, so what stands there can be trusted.
 */
export const noteAccepted = (rows: string): string =>
  insertWaiting(
    `${rows} r
      where not exists (select 1 from contract_lanes w where w.contract = r.contract and w.waiting)`,
  );

/** SQL that does the same whatever is locked. All that puts an intent back into the queue has to do it. */
export const noteRequeued = (rows: string): string => insertWaiting(`${rows} r`);

/** In the order of contracts, so that two of them wait for each other in one direction only. */
const insertWaiting = (rows: string): string =>
  `insert into contract_lanes (contract, account_id, waiting)
   select distinct on (r.contract) r.contract, r.account_id, true from ${rows} order by r.contract
       on conflict (contract) do update set waiting = true`;

/**
 * Notes of contracts that nothing of them is queued, unless something is. A contract that waits needlessly costs each
 * look a little; one that was forgotten would wait for ever.
 */
export async function clearDrained(db: Db, contracts: readonly Hex[]): Promise<void> {
  await db.transaction(async (tx) => {
    // What is being accepted has locked its account, what goes back into the queue its contract: these keep their mark.
    const locked = await query<{ contract: Buffer }>(
      tx,
      `select c.contract from contract_lanes c join accounts a on a.id = c.account_id
        where c.contract = any(:contracts::bytea[]) for no key update of c, a skip locked`,
      { contracts: contracts.map(toBytes) },
    );
    await query(
      tx,
      `update contract_lanes c set waiting = false
        where c.contract = any(:contracts::bytea[])
          and not exists (select 1 from intents i where i.contract = c.contract and ${IS_QUEUED})`,
      { contracts: locked.map(({ contract }) => contract) },
    );
  });
}

/**
 * Gives a retiring lane's contracts to another lane, those of which nothing is in a transaction without a final
 * verdict. What is queued goes along: the retiring lane will not send it. Returns how many went.
 */
export async function moveContracts(db: Db, from: Hex, to: Hex): Promise<number> {
  const rows = await query(
    db,
    `update contract_lanes c set signer = :to
      where c.signer = (select signer from lanes where signer = :from and retiring)
        and not ${IS_UNDER_WAY}
     returning 1`,
    { from: toBytes(from), to: toBytes(to) },
  );
  return rows.length;
}

/**
 * Takes the contracts from a lane that wait for it, and of which nothing is in a transaction without a final verdict, so
 * that another lane may take them: those whose calls another lane can send. Returns how many.
 * @param operators only contracts whose next call is of one of these; null for all
 */
export async function releaseContracts(
  db: Db,
  lane: LaneKey,
  operators: readonly Hex[] | null,
): Promise<number> {
  const rows = await query(
    db,
    `update contract_lanes c set signer = null from lanes own
      where own.signer = :signer and own.term = :term and c.signer = own.signer and c.waiting
        and ${canSendElsewhere(':signer')}
        and ${firstQueued('i.operator', 'c.contract')} is not null
        and (:operators::bytea[] is null or ${firstQueued('i.operator', 'c.contract')} = any(:operators::bytea[]))
        and not ${IS_UNDER_WAY}
     returning 1`,
    {
      signer: toBytes(lane.signer),
      term: String(lane.term),
      operators: operators && operators.map(toBytes),
    },
  );
  return rows.length;
}

/**
 * Takes contracts that wait from lanes that nobody holds, so that another lane may take them: as `releaseContracts`, for whoever
 * is gone. Who still works with such a lane loses it. Returns how many.
 */
export function freeAbandoned(db: Db): Promise<number> {
  const isFree = `c.waiting and ${canSendElsewhere('c.signer')} and not ${IS_UNDER_WAY}`;
  return db.transaction(async (tx) => {
    const lanes = await query<{ signer: Buffer }>(
      tx,
      `update lanes gone set term = term + 1
        where ${isAbandoned('gone')} and not ${ARE_COMMITS_LOST}
          and exists (select 1 from contract_lanes c where c.signer = gone.signer and ${isFree})
       returning signer`,
    );
    if (lanes.length === 0) return 0;
    // In a statement of its own, which sees what was stored while the one above waited.
    const rows = await query(
      tx,
      `update contract_lanes c set signer = null where c.signer = any(:signers::bytea[]) and ${isFree} returning 1`,
      { signers: lanes.map(({ signer }) => signer) },
    );
    return rows.length;
  });
}

/** Takes from the lane of a signer every contract of which nothing is in a block that may yet be taken back. */
export async function dropContracts(tx: Tx, signer: Hex): Promise<number> {
  const rows = await query(
    tx,
    `update contract_lanes c set signer = null
      where c.signer = :signer
        and not ${IS_UNDER_WAY}
     returning 1`,
    { signer: toBytes(signer) },
  );
  return rows.length;
}
