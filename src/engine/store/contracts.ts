import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { IS_QUEUED } from './phase.ts';

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
    // What is being accepted has locked its account, what goes back into the queue its contract: these keep their mark.
    const locked = await query<{ contract: Buffer }>(
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
      { contracts: locked.map(({ contract }) => contract) },
    );
  });
}
