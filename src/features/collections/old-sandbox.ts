import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/** Writes of the sandbox that are kept of an account at most. */
export const MAX_SANDBOX_WRITES = 10_000;

/**
 * What made a collection, and what minted its newest tokens, stays as long as anything newer was written to the
 * collection: ids of tokens go on from there.
 */
const IS_NEEDED = `coalesce(
      i.number in ((select t.intent_number from tokens t where t.address = i.contract),
                   (select n.intent_number from nfts n where n.contract = i.contract order by n.token_id desc limit 1)), false)
    and exists (
      select 1 from intents j
       where j.account_id = i.account_id and j.contract = i.contract and j.status = 'confirmed' and -j.number < -i.number)`;

/**
 * Up to `limit` writes of the sandbox that are older than 30 days, and as many that are too many of their account; of all
 * accounts, or of some.
 */
const OLD = `(
  (select i.number, i.account_id from intents i
    where i.environment = 'sandbox' and i.created_at < now() - interval '30 days' and not (${IS_NEEDED})
      and (:accountIds::uuid[] is null or i.account_id = any(:accountIds::uuid[]))
    order by i.created_at limit :limit)
  union
  (select o.number, a.id
     from accounts a
    cross join lateral (
      select k.number from intents k
       where k.account_id = a.id and k.environment = 'sandbox' and k.status = 'confirmed'
       order by -k.number offset :most limit 1) newest
    cross join lateral (
      select i.number from intents i
       where i.account_id = a.id and i.environment = 'sandbox' and i.status = 'confirmed' and -i.number >= -newest.number
         and not (${IS_NEEDED})
       limit :limit) o
    where :accountIds::uuid[] is null or a.id = any(:accountIds::uuid[])
    limit :limit)) old`;

/**
 * Deletes up to `limit` writes of the sandbox that are too old or too many, with the collections and tokens that they
 * made and the idempotency records that answer with them. Returns how many writes there were.
 */
export async function deleteOldSandbox(db: Db, limit: number): Promise<number> {
  const bounds = { limit, most: MAX_SANDBOX_WRITES };
  return db.transaction(async (tx) => {
    // Who writes for an account holds its row: from here on nothing is written to a collection that goes.
    const accounts = await query<{ id: string }>(
      tx,
      `select id from accounts where id in (select account_id from ${OLD}) order by id for no key update skip locked`,
      { ...bounds, accountIds: null },
    );
    if (accounts.length === 0) return 0;
    const rows = await query(
      tx,
      `with gone as materialized (
         select number from ${OLD} order by number limit :limit
       ), records as (
         delete from idempotency_records r using gone where r.intent_number = gone.number
       ), minted as (
         delete from nfts n using gone where n.intent_number = gone.number
       ), collections as (
         delete from tokens t using gone where t.intent_number = gone.number
       )
       delete from intents i using gone where i.number = gone.number returning 1`,
      { ...bounds, accountIds: accounts.map(({ id }) => id) },
    );
    return rows.length;
  });
}
