import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/** How long the receipt of a transaction is asked for: after that, what was expected stands for it. */
const LIFETIME = `interval '1 day'`;
/** First moment of the day that is running, in UTC, whatever the session's time zone. */
const TODAY = `date_trunc('day', now() at time zone 'utc')`;

/** A final transaction whose receipt was not read yet. */
interface UnpricedTransaction {
  id: bigint;
  /** Of the attempt that was mined. */
  hash: Hex;
  /** Wei, by experience. */
  expectedFee: bigint;
}

/** The final transactions of a signer whose fees are not known, the newest first. */
export async function findUnpriced(db: Db, signer: Hex, limit: number): Promise<UnpricedTransaction[]> {
  const rows = await query<Omit<UnpricedTransaction, 'expectedFee'> & { expectedFee: string }>(
    db,
    `select id, mined_hash as hash, expected_fee as "expectedFee" from transactions
      where signer = :signer and status = 'final' and fee is null and created_at > now() - ${LIFETIME}
      order by id desc limit :limit`,
    { signer: toBytes(signer), limit },
  );
  return rows.map((row) => ({ ...row, expectedFee: BigInt(row.expectedFee) }));
}

/** Stores what transactions have cost, and adds it to the days on which they were signed: once for each transaction. */
export async function storeFees(db: Db, fees: readonly { id: bigint; wei: bigint }[]): Promise<void> {
  if (fees.length === 0) return;
  await query(
    db,
    `with priced as (
       update transactions t set fee = f.wei from unnest(:ids::bigint[], :fees::numeric[]) as f (id, wei)
        where t.id = f.id and t.fee is null returning t.created_at, t.fee
     )
     insert into fees_per_day (day, wei)
     select (created_at at time zone 'utc')::date as day, sum(fee) from priced group by 1 order by 1
     on conflict (day) do update set wei = fees_per_day.wei + excluded.wei`,
    { ids: fees.map(({ id }) => String(id)), fees: fees.map(({ wei }) => String(wei)) },
  );
}

/**
 * Wei that the transactions which were signed today cost, of all signers together: by their receipts, and by what was
 * expected of those that have none.
 */
export async function readFeesToday(db: Db): Promise<bigint> {
  const [row] = await query<{ wei: string }>(
    db,
    `select (coalesce((select wei from fees_per_day where day = ${TODAY}::date), 0)
           + coalesce((select sum(expected_fee) from transactions
                        where fee is null and status <> 'displaced' and created_at >= ${TODAY} at time zone 'utc'), 0))::text as wei`,
  );
  return BigInt(row!.wei);
}
