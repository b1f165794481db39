import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { mayBeDone } from './epochs.ts';
import { INTENT_COLUMNS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';
import { requeueIntents, unchanged } from './requeue.ts';
import { WAS_DISPLACED, IS_IN_FLIGHT, newestHash } from './transactions.ts';

/** An intent whose verdict changed. */
export interface ChangedIntent {
  intent: Intent;
  /** Its account has webhooks, and was not notified of this verdict before. */
  notifyAccount: boolean;
}

/** An intent that succeeded. */
export interface ConfirmedIntent extends ChangedIntent {
  /** It had a verdict without effect: it had failed, or was cancelled. */
  hadNoEffect: boolean;
}

type ChangedIntentRow = IntentRow & { notifyAccount: boolean };

const IS_WATCHED = '(select a.is_watched from accounts a where a.id = i.account_id)';

const toChanged = ({ notifyAccount, ...row }: ChangedIntentRow): ChangedIntent => ({
  intent: toIntent(row),
  notifyAccount,
});

/** A success: the data that its call returned, null when nobody can tell, and the transaction in which it did. */
export interface Success {
  /** Whose event says so: it counts for its own intents alone. Left out when it is known to be the intent's. */
  operator?: Hex;
  number: bigint;
  result: Hex | null;
  transactionHash: Hex;
}

/**
 * Writes successes; `final` once they cannot be taken back. The chain is right, also about what had failed or was
 * cancelled. Returns the intents that moved.
 */
export async function confirmIntents(
  tx: Tx,
  successes: readonly Success[],
  final: boolean,
): Promise<ConfirmedIntent[]> {
  const confirmed = await confirmThose(tx, successes, final, { hadNoEffect: false });
  const done = new Set(confirmed.map(({ intent }) => intent.number));
  const others = successes.filter(({ number }) => !done.has(number));
  return [...confirmed, ...(await confirmThose(tx, others, final, { hadNoEffect: true }))];
}

/**
 * Of those that had a verdict without effect, or of those that had none. Each by a statement of its own: one that waits
 * for a row finds out anew which of the two it is, and could not tell what it was.
 */
async function confirmThose(
  tx: Tx,
  successes: readonly Success[],
  final: boolean,
  { hadNoEffect }: { hadNoEffect: boolean },
): Promise<ConfirmedIntent[]> {
  if (successes.length === 0) return [];
  const rows = await query<ChangedIntentRow>(
    tx,
    `update intents i
        set status = 'confirmed', phase = 'confirmed', result = s.result, transaction_hash = s.hash, updated_at = now(),
            sequence = i.sequence + 1, error_code = null, error_message = null, final_at = case when :final then now() end
       from unnest(:numbers::bigint[], :operators::bytea[], :results::bytea[], :hashes::bytea[])
              as s (number, operator, result, hash)
      where i.number = s.number and (s.operator is null or s.operator = i.operator) and i.status <> 'quarantined'
        and ${hadNoEffect ? `i.status in ('failed', 'cancelled')` : 'i.final_at is null'}
     returning ${INTENT_COLUMNS},
               -- A subquery sees the row as it was before this statement.
               ${IS_WATCHED} and (select (o.status, o.result, o.transaction_hash) is distinct from ('confirmed', s.result, s.hash)
                                    from intents o where o.number = i.number) as "notifyAccount"`,
    {
      final,
      numbers: successes.map(({ number }) => String(number)),
      operators: successes.map(({ operator }) => (operator ? toBytes(operator) : null)),
      results: successes.map(({ result }) => result && toBytes(result)),
      hashes: successes.map(({ transactionHash }) => toBytes(transactionHash)),
    },
  );
  return rows.map((row) => ({ ...toChanged(row), hadNoEffect }));
}

/**
 * A reorg took these successes back: they are in flight again in their unfinished transaction, or queued when they have
 * none. Then nobody can cancel them, for what was signed for them may still be mined. What is in quarantine stays
 * there, and shows its success no more. Returns the intents that moved.
 */
export async function retractIntents(tx: Tx, numbers: readonly bigint[]): Promise<ChangedIntent[]> {
  if (numbers.length === 0) return [];
  const rows = await query<ChangedIntentRow>(
    tx,
    `update intents i set status = case i.status when 'confirmed' then 'submitted' else i.status end,
            phase = case i.status when 'confirmed' then 'open' else i.phase end,
            result = null, transaction_hash = c.hash, updated_at = now(), sequence = i.sequence + 1
       from (select n.number, (select ${newestHash('t.id')} from transactions t where t.id = n.decided_by and t.status in ('open', 'mined')) as hash
               from intents n where n.number = any(:numbers::bigint[])) c
      where i.number = c.number and i.final_at is null
        and (i.status = 'confirmed' and c.hash is not null or i.status = 'quarantined' and i.result is not null)
     returning ${INTENT_COLUMNS}, ${IS_WATCHED} as "notifyAccount"`,
    { numbers: numbers.map(String) },
  );
  const others = numbers.map((number) => ({ ...unchanged(number), inDoubt: true }));
  const requeued = await requeueIntents(tx, others, 'confirmed');
  return [...rows.map(toChanged), ...(await findRetracted(tx, requeued))];
}

async function findRetracted(tx: Tx, numbers: readonly bigint[]): Promise<ChangedIntent[]> {
  if (numbers.length === 0) return [];
  const rows = await query<ChangedIntentRow>(
    tx,
    `select ${INTENT_COLUMNS}, ${IS_WATCHED} as "notifyAccount" from intents i where i.number = any(:numbers::bigint[])`,
    { numbers: numbers.map(String) },
  );
  return rows.map(toChanged);
}

/**
 * Intents that are done in a block which a reorg may yet take back, those in quarantine that are shown so among them.
 */
export async function findNotFinal(tx: Tx): Promise<Success[]> {
  return query<Success>(
    tx,
    // Each part has a partial index of its own.
    `select number, result, transaction_hash as "transactionHash" from intents where phase = 'confirmed' and final_at is null
     union all
     select i.number, i.result, i.transaction_hash
       from intents i join attempts a on a.hash = i.transaction_hash join transactions t on t.id = a.transaction_id
      where i.phase = 'quarantined' and i.result is not null and t.status in ('open', 'mined')`,
  );
}

const SELECT_STORED = `select i.number, i.result, i.transaction_hash as "transactionHash"
       from transactions t join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
      where i.transaction_hash = t.mined_hash and i.status in ('confirmed', 'quarantined') and i.final_at is null`;

/** Successes that are not final in these blocks, as they were stored when the events of the blocks were read. */
export async function findSuccessesIn(tx: Tx, blocks: readonly Hex[]): Promise<Success[]> {
  if (blocks.length === 0) return [];
  return query<Success>(
    tx,
    `${SELECT_STORED} and t.status = 'mined' and t.block_hash = any(:blocks::bytea[])`,
    { blocks: blocks.map(toBytes) },
  );
}

/** Likewise, of these transactions. */
export async function findSuccessesOf(tx: Tx, ids: readonly bigint[]): Promise<Success[]> {
  if (ids.length === 0) return [];
  return query<Success>(tx, `${SELECT_STORED} and t.id = any(:ids::bigint[])`, {
    ids: ids.map(String),
  });
}

/**
 * Cancels an intent if it is still queued, and nothing that was signed for it may still be mined; undefined otherwise.
 */
export async function cancelQueued(tx: Tx, number: bigint): Promise<Intent | undefined> {
  const [row] = await query<IntentRow>(
    tx,
    `update intents i set status = 'cancelled', phase = 'cancelled', updated_at = now(), final_at = now()
      where i.number = :number and i.status = 'queued' and not ${mayBeDone('i')} and not ${IS_IN_FLIGHT} and not ${WAS_DISPLACED}
     returning ${INTENT_COLUMNS}`,
    { number: String(number) },
  );
  return row && toIntent(row);
}

/** A verdict without effect. `transactionHash` is the transaction in which the call reverted, if it was in one. */
export interface Failure {
  number: bigint;
  error: { code: ErrorCode; message: string };
  transactionHash: Hex | null;
}

/** Writes failures, which are final. Returns the intents that moved. */
export async function failIntents(
  tx: Tx,
  failures: readonly Failure[],
  from: readonly IntentStatus[],
): Promise<ChangedIntent[]> {
  if (failures.length === 0) return [];
  const rows = await query<ChangedIntentRow>(
    tx,
    `update intents i
        set status = 'failed', phase = 'failed', result = null, error_code = f.code, error_message = f.message,
            transaction_hash = f.hash, updated_at = now(), sequence = i.sequence + 1, final_at = now()
       from unnest(:numbers::bigint[], :codes::text[], :messages::text[], :hashes::bytea[]) as f (number, code, message, hash)
      where i.number = f.number and i.status = any(:from::text[]) and i.final_at is null
     returning ${INTENT_COLUMNS}, ${IS_WATCHED} as "notifyAccount"`,
    {
      numbers: failures.map(({ number }) => String(number)),
      codes: failures.map(({ error }) => error.code),
      messages: failures.map(({ error }) => error.message),
      hashes: failures.map(({ transactionHash }) => transactionHash && toBytes(transactionHash)),
      from,
    },
  );
  return rows.map(toChanged);
}
