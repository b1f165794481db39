import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneKey } from './lanes.ts';

/** The lane of a contract; undefined before its first transaction. */
export async function findContractLane(db: Db, contract: Hex): Promise<Hex | undefined> {
  const [row] = await query<{ signer: Buffer }>(
    db,
    'select signer from contract_lanes where contract = :contract',
    { contract: toBytes(contract) },
  );
  return row && toHex(row.signer);
}

/**
 * Gives contracts that have no lane yet to this one: its share, so that the lanes that are at work get as many each.
 * What is left over is for the others, and at the next look for whoever comes first. Returns those that it got;
 * none for a process that lost the lane.
 */
export async function claimContracts(db: Db, lane: LaneKey, contracts: readonly Hex[]): Promise<Set<Hex>> {
  const rows = await query<{ contract: Buffer }>(
    db,
    // The lock lets nobody retire the lane, and move its contracts, before this is written.
    `with own as (
       select signer from lanes where signer = :signer and epoch = :epoch and not retiring for share
     ), working as (
       select greatest(count(*), 1) as lanes from lanes where lease_until > now() and not retiring
     )
     insert into contract_lanes (contract, signer)
     select c, own.signer from own, unnest(:contracts::bytea[]) as c order by c
      limit (select ceil(:count::float8 / lanes) from working)
     on conflict (contract) do nothing returning contract`,
    {
      signer: toBytes(lane.signer),
      epoch: String(lane.epoch),
      contracts: contracts.map(toBytes),
      count: contracts.length,
    },
  );
  return new Set(rows.map(({ contract }) => toHex(contract)));
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
        and not exists (
          select 1 from transactions t
            join transaction_intents m on m.transaction_id = t.id and m.live
            join intents i on i.number = m.intent_number
           where t.signer = c.signer and t.status in ('open', 'mined') and i.contract = c.contract)
     returning 1`,
    { from: toBytes(from), to: toBytes(to) },
  );
  return rows.length;
}
