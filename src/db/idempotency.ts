import { AppError } from '../errors.ts';
import { toBytes } from '../lib/hex.ts';
import type { Owner } from '../lib/owner.ts';
import type { Idempotency } from '../lib/write-options.ts';
import { changeAccount } from './change-account.ts';
import type { Db, Tx } from './client.ts';
import { query } from './client.ts';
import { anyNumber, table } from './table.ts';

/**
 * An accepted request under its `Idempotency-Key`. The answer is rendered from its intent, or kept when it has none.
 */
export interface IdempotencyRecord extends Owner, Idempotency {
  intentNumber: bigint | null;
  answer: unknown;
}

type RecordName = Pick<IdempotencyRecord, 'accountId' | 'environment' | 'key'>;

/** SQL: how long a record outlives the verdict on its intent, or its own making when it has none. */
export const RECORD_LIFETIME = `interval '24 hours'`;

function nameBindings(names: readonly RecordName[]) {
  return {
    accountIds: names.map(({ accountId }) => accountId),
    environments: names.map(({ environment }) => environment),
    keys: names.map(({ key }) => key),
  };
}

/**
 * The records that exist among `names`, in any order. Those whose time is over are deleted, and their keys are free.
 */
export async function findRecords(tx: Db | Tx, names: readonly RecordName[]): Promise<IdempotencyRecord[]> {
  if (names.length === 0) return [];
  return query<IdempotencyRecord>(
    tx,
    `with found as (
       select r.*, coalesce(i.final_at, case when i.number is null then r.created_at end) < now() - ${RECORD_LIFETIME} as expired
         from unnest(:accountIds::uuid[], :environments::text[], :keys::text[]) as wanted (account_id, environment, key)
         join idempotency_records r using (account_id, environment, key)
         left join intents i on i.number = r.intent_number
     ), freed as (
       delete from idempotency_records r using found f
        where f.expired and r.account_id = f.account_id and r.environment = f.environment and r.key = f.key
     )
     select account_id as "accountId", environment, key, request_hash as "requestHash",
            intent_number as "intentNumber", answer
       from found where expired is not true`,
    nameBindings(names),
  );
}

/**
 * The answer that was kept for a request without an intent; undefined when the request is new. The caller holds the
 * account's row, so that until the end of the transaction no other replica accepts the same key.
 * @throws AppError VALIDATION_ERROR when the key was used for another request.
 */
export async function findAnswer(tx: Tx, request: Owner & Idempotency): Promise<unknown> {
  const [record] = await findRecords(tx, [request]);
  if (!record) return undefined;
  if (record.requestHash === request.requestHash) return record.answer;
  throw keyReused();
}

/** Keeps the answer of a request without an intent. The caller holds the account's row. */
export async function insertAnswer(tx: Tx, request: Owner & Idempotency, answer: unknown): Promise<void> {
  await insertRecords(tx, [{ ...request, intentNumber: null, answer }]);
}

/**
 * Carries out a write without an intent once for each key, and holds the account's row meanwhile. `answer` is kept for
 * a replay; `shown` (a secret) is returned with it now and never again.
 * @throws AppError VALIDATION_ERROR when the key was used for another request, RATE_LIMITED when too many changes wait.
 */
export async function answerOnce<Answer extends object, Shown extends object>(
  db: Db,
  owner: Owner,
  idempotency: Idempotency | null,
  work: (tx: Tx) => Promise<{ answer: Answer; shown?: Shown }>,
): Promise<Answer & Partial<Shown>> {
  const request = idempotency && { ...owner, ...idempotency };
  return changeAccount(db, owner.accountId, async (tx) => {
    const kept = request && (await findAnswer(tx, request));
    if (kept) return kept as Answer & Partial<Shown>;
    const { answer, shown } = await work(tx);
    if (request) await insertAnswer(tx, request, answer);
    return { ...answer, ...shown };
  });
}

/** Two different requests under one key. */
export function keyReused(): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    'This Idempotency-Key was used for another request; send a new key',
  );
}

/** Keeps accepted requests. The caller holds the accounts' rows, so that no other replica inserts the same key. */
export async function insertRecords(tx: Tx, records: readonly IdempotencyRecord[]): Promise<void> {
  if (records.length === 0) return;
  await query(
    tx,
    `insert into idempotency_records (account_id, environment, key, request_hash, intent_number, answer)
     select * from unnest(:accountIds::uuid[], :environments::text[], :keys::text[], :requestHashes::bytea[],
                          :intentNumbers::bigint[], :answers::jsonb[])`,
    {
      ...nameBindings(records),
      requestHashes: records.map(({ requestHash }) => toBytes(requestHash)),
      intentNumbers: records.map(({ intentNumber }) => intentNumber?.toString() ?? null),
      answers: records.map(({ answer }) => (answer === null ? null : JSON.stringify(answer))),
    },
  );
}

/** Those of these intents that a key is recorded for, whether its time is over or not. */
export async function findKeyedIntents(db: Db, numbers: readonly bigint[]): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    db,
    'select distinct intent_number as number from idempotency_records where intent_number = any(:numbers::bigint[])',
    { numbers: numbers.map(String) },
  );
  return rows.map(({ number }) => number);
}

/** Deletes the records that answer with these intents. */
export async function deleteRecordsOf(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  await table(tx, 'idempotency_records').where('intent_number', '=', anyNumber(tx, numbers)).delete();
}

/** Deletes up to `limit` records whose time is over, which nobody finds any more. Returns how many there were. */
export async function deleteOldRecords(db: Db, limit: number): Promise<number> {
  const rows = await query(
    db,
    `delete from idempotency_records where ctid = any(array(
       select r.ctid from idempotency_records r left join intents i on i.number = r.intent_number
        where r.created_at < now() - ${RECORD_LIFETIME}
          and (r.intent_number is null or i.final_at < now() - ${RECORD_LIFETIME})
        order by r.created_at limit :limit for update of r skip locked)) returning 1`,
    { limit },
  );
  return rows.length;
}
