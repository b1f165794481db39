import { AppError } from '../errors.ts';
import type { Db, Tx } from './client.ts';
import { query } from './client.ts';

/** An accepted request under its `Idempotency-Key`. The answer is rendered from its intent, or kept when it has none. */
export interface IdempotencyRecord {
  accountId: string;
  environment: 'live' | 'sandbox';
  /** 1-255 printable characters. */
  key: string;
  /** SHA-256 of operation, path, query and body. */
  requestHash: Buffer;
  intentNumber: bigint | null;
  answer: unknown;
}

type RecordName = Pick<IdempotencyRecord, 'accountId' | 'environment' | 'key'>;

/** How long a record outlives the verdict on its intent, or its own making when it has none. */
const LIFETIME = `interval '24 hours'`;

/** The records that exist among `names`, in any order. Those whose time is over are deleted, and their keys are free. */
export async function findRecords(tx: Tx, names: readonly RecordName[]): Promise<IdempotencyRecord[]> {
  if (names.length === 0) return [];
  return query<IdempotencyRecord>(
    tx,
    `with found as (
       select r.*, coalesce(i.final_at, case when i.number is null then r.created_at end) < now() - ${LIFETIME} as expired
         from unnest(?::uuid[], ?::text[], ?::text[]) as wanted (account_id, environment, key)
         join idempotency_records r using (account_id, environment, key)
         left join intents i on i.number = r.intent_number
     ), freed as (
       delete from idempotency_records r using found f
        where f.expired and r.account_id = f.account_id and r.environment = f.environment and r.key = f.key
     )
     select account_id as "accountId", environment, key, request_hash as "requestHash",
            intent_number as "intentNumber", answer
       from found where expired is not true`,
    [
      names.map((name) => name.accountId),
      names.map((name) => name.environment),
      names.map((name) => name.key),
    ],
  );
}

/**
 * The answer that was kept for a request without an intent; undefined when the request is new. Locks the account's row,
 * so that until the end of the transaction no other replica accepts the same key.
 * @throws AppError VALIDATION_ERROR when the key was used for another request.
 */
export async function findAnswer(
  tx: Tx,
  request: RecordName & Pick<IdempotencyRecord, 'requestHash'>,
): Promise<unknown> {
  await query(tx, 'select 1 from accounts where id = ? for no key update', [request.accountId]);
  const [record] = await findRecords(tx, [request]);
  if (!record) return undefined;
  if (record.requestHash.equals(request.requestHash)) return record.answer;
  throw keyReused();
}

/** Two different requests under one key. */
export const keyReused = (): AppError =>
  new AppError('VALIDATION_ERROR', 'This Idempotency-Key was used for another request; send a new key');

/** Keeps accepted requests. The caller holds the accounts' rows, so that no other replica inserts the same key. */
export async function insertRecords(tx: Tx, records: readonly IdempotencyRecord[]): Promise<void> {
  if (records.length === 0) return;
  await query(
    tx,
    `insert into idempotency_records (account_id, environment, key, request_hash, intent_number, answer)
     select * from unnest(?::uuid[], ?::text[], ?::text[], ?::bytea[], ?::bigint[], ?::jsonb[])`,
    [
      records.map((record) => record.accountId),
      records.map((record) => record.environment),
      records.map((record) => record.key),
      records.map((record) => record.requestHash),
      records.map((record) => record.intentNumber?.toString() ?? null),
      records.map((record) => (record.answer === null ? null : JSON.stringify(record.answer))),
    ],
  );
}

/** Deletes up to `limit` records whose time is over, which nobody finds any more. Returns how many there were. */
export const deleteOldRecords = async (db: Db, limit: number): Promise<number> =>
  (
    await query(
      db,
      `delete from idempotency_records where ctid = any(array(
         select r.ctid from idempotency_records r left join intents i on i.number = r.intent_number
          where r.created_at < now() - ${LIFETIME}
            and (r.intent_number is null or i.final_at < now() - ${LIFETIME})
          order by r.created_at limit ? for update of r skip locked)) returning 1`,
      [limit],
    )
  ).length;
