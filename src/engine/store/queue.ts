import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

/** An intent that waits for a transaction. */
export interface QueuedIntent extends OperatorEpoch {
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
  /** The most calls that its next transaction may have; halved when a transaction of it failed as a whole. */
  batchLimit: number;
}

/** Queued intents that the lane of `:signer` may take. */
const TAKEABLE = `intents i left join contract_lanes l on l.contract = i.contract
          where i.status = 'queued' and not i.contract = any(:excluded::bytea[])
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
    operator: Buffer;
    epoch: bigint;
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
       select greatest(:limit::int / greatest(count(*), 1), 1) * 2 as size from waiting
     )
     select q.*
       from waiting w, share, lateral (
         select i.number, i.id, i.account_id, i.contract, i.target, i.calldata, i.operator, i.epoch, i.gas_estimate, i.full_gas, i.batch_limit,
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
    operator: toHex(row.operator),
    epoch: row.epoch,
    gasEstimate: row.gas_estimate,
    fullGas: row.full_gas,
    batchLimit: row.batch_limit,
    assigned: row.assigned,
  }));
}

/**
 * Queued intents that were never in a transaction: nothing of them can have reached the chain. None while another
 * process than `holder` holds a lane, for that one will send them, or find itself that it cannot.
 */
export async function findNeverSent(db: Db, holder: string, limit: number): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    db,
    `select i.number from intents i
      where i.status = 'queued' and not i.seen_done
        and not exists (select 1 from transaction_intents m where m.intent_number = i.number)
        and not exists (select 1 from lanes l where l.lease_until > now() and l.holder <> :holder)
      order by i.number limit :limit`,
    { holder, limit },
  );
  return rows.map(({ number }) => number);
}
