import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneKey } from './transactions.ts';

/** An intent that waits for a transaction. */
export interface QueuedIntent {
  number: bigint;
  /** UUID, the public name. */
  id: string;
  accountId: string;
  contract: Hex;
  target: Hex;
  data: Hex;
  gasEstimate: number;
  /** It used up its gas cap once: its next call gets the largest cap, alone in its transaction. */
  fullGas: boolean;
  /** The most calls that its next transaction may carry; halved when a transaction of it failed as a whole. */
  batchLimit: number;
}

/** Queued intents that the lane of `:signer` may take. */
const TAKEABLE = `intents i left join contract_lanes l on l.contract = i.contract
          where i.status = 'queued' and not i.contract = any(cast(:excluded as bytea[]))
            and (l.signer is null or l.signer = :signer)`;

/**
 * Queued intents for one lane: round-robin by account, in order within an account and so within a contract.
 * Contracts of another signer's lane are left out, and those that this lane waits for (`excluded`). A retiring lane
 * gets none.
 */
export async function findQueued(
  db: Db,
  signer: Hex,
  { excluded, limit }: { excluded: readonly Hex[]; limit: number },
): Promise<(QueuedIntent & { assigned: boolean })[]> {
  const rows = await query<{
    number: bigint;
    id: string;
    account_id: string;
    contract: Buffer;
    target: Buffer;
    calldata: Buffer;
    gas_estimate: number;
    full_gas: boolean;
    batch_limit: number;
    assigned: boolean;
  }>(
    db,
    // A skip scan over the partial index finds the accounts that have work without reading their whole queues.
    `with recursive next_account as (
       (select account_id from intents where status = 'queued' order by account_id limit 1)
       union all
       select (select i.account_id from intents i
                where i.status = 'queued' and i.account_id > n.account_id order by i.account_id limit 1)
         from next_account n where n.account_id is not null
     ), waiting as (
       select account_id from next_account n where account_id is not null
          -- Else accounts that wait for another lane would keep all others from being seen.
          and exists (select 1 from ${TAKEABLE} and i.account_id = n.account_id) limit :limit
     ), share as (
       select greatest(cast(:limit as int) / greatest(count(*), 1), 1) * 2 as size from waiting
     )
     select q.*
       from waiting w, share, lateral (
         select i.number, i.id, i.account_id, i.contract, i.target, i.calldata, i.gas_estimate, i.full_gas, i.batch_limit,
                l.signer is not null as assigned, row_number() over (order by i.number) as turn
           from ${TAKEABLE} and i.account_id = w.account_id
          order by i.number limit share.size
       ) q
      where not exists (select 1 from lanes where signer = :signer and retiring)
      order by q.turn, q.number limit :limit`,
    { limit, excluded: excluded.map(toBytes), signer: toBytes(signer) },
  );
  return rows.map((row) => ({
    number: row.number,
    id: row.id,
    accountId: row.account_id,
    contract: toHex(row.contract),
    target: toHex(row.target),
    data: toHex(row.calldata),
    gasEstimate: row.gas_estimate,
    fullGas: row.full_gas,
    batchLimit: row.batch_limit,
    assigned: row.assigned,
  }));
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
       select signer from lanes where signer = ? and epoch = ? and not retiring for share
     ), working as (
       select greatest(count(*), 1) as lanes from lanes where lease_until > now() and not retiring
     )
     insert into contract_lanes (contract, signer)
     select c, own.signer from own, unnest(?::bytea[]) as c order by c
      limit (select ceil(?::float8 / lanes) from working)
     on conflict (contract) do nothing returning contract`,
    [toBytes(lane.signer), String(lane.epoch), contracts.map(toBytes), contracts.length],
  );
  return new Set(rows.map(({ contract }) => toHex(contract)));
}
