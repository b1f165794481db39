import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { INTENT_COLUMNS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';

/** How an intent goes back into the queue. */
export interface Requeue {
  number: bigint;
  fullGas: boolean;
  batchLimit: number;
  /** It failed together with a transaction that carried nothing else. */
  alone: boolean;
}

/**
 * Puts intents back behind nothing but their own number. One that is `submitted` may only come back together with the
 * end of its membership, so a caller that has not ended one names `queued`.
 */
export async function requeueIntents(
  tx: Tx,
  intents: readonly Requeue[],
  from: 'queued' | 'submitted',
): Promise<void> {
  if (intents.length === 0) return;
  await query(
    tx,
    `update intents i
        set status = 'queued', transaction_hash = null, updated_at = now(), full_gas = i.full_gas or r.full_gas,
            batch_limit = least(i.batch_limit, r.batch_limit), lone_failures = i.lone_failures + r.alone::int
       from unnest(?::bigint[], ?::boolean[], ?::int[], ?::boolean[]) as r (number, full_gas, batch_limit, alone)
      where i.number = r.number and i.status = ?`,
    [
      intents.map(({ number }) => String(number)),
      intents.map(({ fullGas }) => fullGas),
      intents.map(({ batchLimit }) => batchLimit),
      intents.map(({ alone }) => alone),
      from,
    ],
  );
}

/**
 * Those of these intents that have an earlier one on their contract which may still be sent, and is not of them: their
 * turn has not come, so what became of them is no verdict.
 */
export async function findBehind(tx: Tx | Db, numbers: readonly bigint[]): Promise<Set<bigint>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ number: bigint }>(
    tx,
    `select i.number from intents i
      where i.number = any(cast(:numbers as bigint[])) and exists (
        select 1 from intents e
         where e.contract = i.contract and e.number < i.number and e.status in ('queued', 'submitted')
           and not e.number = any(cast(:numbers as bigint[])))`,
    { numbers: numbers.map(String) },
  );
  return new Set(rows.map(({ number }) => number));
}

/** How often each of these intents failed together with a transaction that carried nothing else. */
export async function countLoneFailures(tx: Tx, numbers: readonly bigint[]): Promise<Map<bigint, number>> {
  const rows = await query<{ number: bigint; lone_failures: number }>(
    tx,
    'select number, lone_failures from intents where number = any(?::bigint[])',
    [numbers.map(String)],
  );
  return new Map(rows.map(({ number, lone_failures }) => [number, lone_failures]));
}

/** An intent that got a verdict. */
export interface Judged {
  intent: Intent;
  /** Its account wants to be told of verdicts, and was not told this one before. */
  notifyAccount: boolean;
}

type JudgedRow = IntentRow & { notify_account: boolean };

const IS_WATCHED = '(select a.is_watched from accounts a where a.id = i.account_id)';

const toJudged = (row: JudgedRow): Judged => ({ intent: toIntent(row), notifyAccount: row.notify_account });

/** A success: the data that its call answered, and the transaction in which it did. */
export interface Success {
  number: bigint;
  result: Hex;
  transactionHash: Hex;
}

/** Marks successes; `final` once they are deep enough. Returns the intents that moved. */
export async function confirmIntents(
  tx: Tx,
  successes: readonly Success[],
  final: boolean,
): Promise<Judged[]> {
  if (successes.length === 0) return [];
  const rows = await query<JudgedRow>(
    tx,
    `update intents i
        set status = 'confirmed', result = s.result, transaction_hash = s.hash, updated_at = now(),
            final_at = case when ? then now() end
       from unnest(?::bigint[], ?::bytea[], ?::bytea[]) as s (number, result, hash)
      where i.number = s.number and i.status in ('queued', 'submitted', 'confirmed') and i.final_at is null
     returning ${INTENT_COLUMNS},
               -- A subquery sees the row as it was before this statement.
               ${IS_WATCHED} and (select o.status from intents o where o.number = i.number) <> 'confirmed' as notify_account`,
    [
      final,
      successes.map(({ number }) => String(number)),
      successes.map(({ result }) => toBytes(result)),
      successes.map(({ transactionHash }) => toBytes(transactionHash)),
    ],
  );
  return rows.map(toJudged);
}

/** A reorg took these successes back: they are under way again. Returns the intents that moved. */
export async function retractIntents(
  tx: Tx,
  numbers: readonly bigint[],
  transactionHash: Hex,
): Promise<Judged[]> {
  const rows = await query<JudgedRow>(
    tx,
    `update intents i set status = 'submitted', result = null, transaction_hash = ?, updated_at = now()
      where i.number = any(?::bigint[]) and i.status = 'confirmed' and i.final_at is null
     returning ${INTENT_COLUMNS}, ${IS_WATCHED} as notify_account`,
    [toBytes(transactionHash), numbers.map(String)],
  );
  return rows.map(toJudged);
}

/** Cancels an intent if it is still queued, and nothing tells that it was sent before; undefined otherwise. */
export async function cancelQueued(tx: Tx, number: bigint): Promise<Intent | undefined> {
  const [row] = await query<IntentRow>(
    tx,
    `update intents i set status = 'cancelled', updated_at = now(), final_at = now()
      where i.number = ? and i.status = 'queued' and not i.seen_done returning ${INTENT_COLUMNS}`,
    [String(number)],
  );
  return row && toIntent(row);
}

/** A verdict without effect. `transactionHash` is the transaction in which the call reverted, if any carried it. */
export interface Failure {
  number: bigint;
  error: { code: ErrorCode; message: string };
  transactionHash: Hex | null;
}

/** Marks failures, which are final. Returns the intents that moved. */
export async function failIntents(
  tx: Tx,
  failures: readonly Failure[],
  from: readonly IntentStatus[],
): Promise<Judged[]> {
  if (failures.length === 0) return [];
  const rows = await query<JudgedRow>(
    tx,
    `update intents i
        set status = 'failed', result = null, error_code = f.code, error_message = f.message,
            transaction_hash = f.hash, updated_at = now(), final_at = now()
       from unnest(?::bigint[], ?::text[], ?::text[], ?::bytea[]) as f (number, code, message, hash)
      where i.number = f.number and i.status = any(?::text[]) and i.final_at is null
     returning ${INTENT_COLUMNS}, ${IS_WATCHED} as notify_account`,
    [
      failures.map(({ number }) => String(number)),
      failures.map(({ error }) => error.code),
      failures.map(({ error }) => error.message),
      failures.map(({ transactionHash }) => transactionHash && toBytes(transactionHash)),
      from,
    ],
  );
  return rows.map(toJudged);
}

/**
 * Queued intents that no transaction ever carried: nothing of them can have reached the chain. None while another
 * process than `holder` holds a lane, for that one will send them, or find itself that it cannot.
 */
export async function findNeverSent(db: Db, holder: string, limit: number): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    db,
    `select i.number from intents i
      where i.status = 'queued' and not i.seen_done
        and not exists (select 1 from transaction_intents m where m.intent_number = i.number)
        and not exists (select 1 from lanes l where l.lease_until > now() and l.holder <> ?)
      order by i.number limit ?`,
    [holder, limit],
  );
  return rows.map(({ number }) => number);
}

/** Tells the waiting requests of every replica; one notice a group, cut where PostgreSQL's 8,000 bytes end. */
export async function notifySettled(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  if (numbers.length === 0) return;
  const perNotice = 380;
  const groups = Math.ceil(numbers.length / perNotice);
  const payloads = Array.from({ length: groups }, (_, group) =>
    numbers.slice(group * perNotice, (group + 1) * perNotice).join(','),
  );
  await query(tx, `select pg_notify('mintmark_settled', payload) from unnest(?::text[]) as payload`, [
    payloads,
  ]);
}
