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

/** The records that exist among `names`, in any order. */
export async function findRecords(db: Db | Tx, names: readonly RecordName[]): Promise<IdempotencyRecord[]> {
  if (names.length === 0) return [];
  return query<IdempotencyRecord>(
    db,
    `select r.account_id as "accountId", r.environment, r.key, r.request_hash as "requestHash",
            r.intent_number as "intentNumber", r.answer
       from unnest(?::uuid[], ?::text[], ?::text[]) as wanted (account_id, environment, key)
       join idempotency_records r using (account_id, environment, key)`,
    [
      names.map((name) => name.accountId),
      names.map((name) => name.environment),
      names.map((name) => name.key),
    ],
  );
}

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
