import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { FINISHED } from './mined.ts';
import type { FinishedTransaction } from './mined.ts';
import { requeueIntents, unchanged } from './requeue.ts';
import { newestHash } from './transactions.ts';

/** An intent whose verdict the database refuses. */
interface QuarantinedIntent {
  number: bigint;
  /** UUID, the public name. */
  id: string;
  email: string;
  kind: string;
  contract: Hex;
  /** Null when its verdict came before it was sent. */
  transactionHash: Hex | null;
  /** What the database said. */
  error: string;
  since: Date;
}

/**
 * Takes an intent whose verdict is refused out of everything that goes on, until a person retries it. Returns its
 * public id; undefined when it has a verdict for good.
 */
export async function quarantineIntent(tx: Tx, number: bigint, error: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    tx,
    `with moved as (
       update intents set status = 'quarantined', phase = 'quarantined', updated_at = now()
        where number = :number and status in ('queued', 'submitted', 'confirmed') and final_at is null
       returning number, id
     ), noted as (
       insert into quarantined (intent_number, error) select number, :error from moved
     )
     select id from moved`,
    { number: String(number), error },
  );
  return row?.id;
}

/** All of them, the oldest first. */
export function findQuarantined(db: Db): Promise<QuarantinedIntent[]> {
  return query<QuarantinedIntent>(
    db,
    `select i.number, i.id, a.email, i.kind, i.contract, i.transaction_hash as "transactionHash", q.error, q.since
       from quarantined q join intents i on i.number = q.intent_number join accounts a on a.id = i.account_id
      order by q.since, q.intent_number`,
  );
}

/** The transaction of a quarantined intent. */
export interface QuarantinedIn extends FinishedTransaction {
  /** Its nonce is used for good. */
  isFinished: boolean;
  blockHash: Hex | null;
}

/** The transaction of a quarantined intent, or null; undefined when the intent is in no quarantine. */
export async function findQuarantinedIn(
  db: Db | Tx,
  number: bigint,
): Promise<QuarantinedIn | null | undefined> {
  const [row] = await query<QuarantinedIn | { id: null }>(
    db,
    `select ${FINISHED}, t.status in ('final', 'displaced') as "isFinished", t.block_hash as "blockHash"
       from quarantined q join intents i on i.number = q.intent_number left join transactions t on t.id = i.decided_by
      where q.intent_number = :number`,
    { number: String(number) },
  );
  return row && (row.id === null ? null : row);
}

/** Keeps the transaction of an intent as it is until the end of the database transaction. */
export async function lockTransactionOf(tx: Tx, number: bigint): Promise<void> {
  await query(
    tx,
    `select 1 from transactions t where t.id = (select decided_by from intents where number = :number) for update`,
    { number: String(number) },
  );
}

/**
 * Ends the quarantine of an intent: it is in flight again in its transaction, or queued when it has none. Then nobody
 * can cancel it, for its refused verdict may have been a success. Returns that transaction, or null; undefined when the
 * intent was in no quarantine.
 */
export async function releaseIntent(tx: Tx, number: bigint): Promise<QuarantinedIn | null | undefined> {
  const transaction = await findQuarantinedIn(tx, number);
  if (transaction === undefined) return undefined;
  await query(tx, 'delete from quarantined where intent_number = :number', { number: String(number) });
  if (!transaction) await requeueIntents(tx, [{ ...unchanged(number), inDoubt: true }], 'quarantined');
  else
    await query(
      tx,
      `update intents set status = 'submitted', phase = 'open', result = null, updated_at = now(),
              transaction_hash = ${newestHash(':id')}
        where number = :number`,
      { number: String(number), id: String(transaction.id) },
    );
  return transaction;
}
