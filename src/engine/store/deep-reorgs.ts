import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import type { OperatorNumber } from '../../lib/operator-epoch.ts';
import { UNTRIED, WITHOUT_LONE_REVERT } from '../retry-policy.ts';
import type { ReaderKey } from './reader.ts';
import { INTENT_COLUMNS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';
import { isStale } from './epochs.ts';
import { OPEN_AGAIN, newestHash } from './transactions.ts';
import type { ChangedIntent } from './verdicts.ts';

/** A reorg that took a final block away, and that is not resolved yet. */
export interface UnresolvedReorg {
  seenAt: Date;
  needsPerson: boolean;
}

export async function findUnresolvedReorg(db: Db): Promise<UnresolvedReorg | undefined> {
  const [row] = await query<UnresolvedReorg>(
    db,
    `select seen_at as "seenAt", needs_person as "needsPerson" from deep_reorgs where resolved_at is null`,
  );
  return row;
}

/** SQL: whether this process reads the chain still; until the end of the statement nobody takes that over. */
const IS_READER = 'exists (select 1 from reader where term = :term for share)';

/**
 * Notes that the chain lacks the last final block, unless that is known; nothing when another process reads the chain.
 */
export async function noteReorg(db: Db | Tx, { term }: ReaderKey): Promise<void> {
  await query(
    db,
    `insert into deep_reorgs (needs_person) select false where ${IS_READER} on conflict do nothing`,
    { term: String(term) },
  );
}

/** The chain contains the last final block after all. */
export async function forgetReorg(db: Db, { term }: ReaderKey): Promise<void> {
  await query(db, `delete from deep_reorgs where resolved_at is null and ${IS_READER}`, {
    term: String(term),
  });
}

/** Notes that only a person can resolve it. */
export async function noteNeedsPerson(db: Db, { term }: ReaderKey): Promise<void> {
  await query(db, `update deep_reorgs set needs_person = true where resolved_at is null and ${IS_READER}`, {
    term: String(term),
  });
}

export async function noteResolved(tx: Tx): Promise<void> {
  await query(tx, 'update deep_reorgs set resolved_at = now() where resolved_at is null');
}

// The statements below read all transactions: no index serves what happens once in years.

const KNOWN_BLOCKS = `(
       select block_number as number, block_hash as hash from transactions where status in ('final', 'displaced')
        union select first_number, first_hash from reader where first_number is not null) k`;

/**
 * Final blocks that are known: those in which this service has a transaction, and the one at which the reading began.
 * `from` gives all from a number on, `below` the newest ones below a number, newest first.
 */
export function createKnownBlocks(db: Db) {
  return {
    from: (number: bigint) =>
      query<BlockId>(db, `select number, hash from ${KNOWN_BLOCKS} where number >= :number`, {
        number: String(number),
      }),
    below: (number: bigint, limit: number) =>
      query<BlockId>(
        db,
        `select number, hash from ${KNOWN_BLOCKS} where number < :number order by number desc limit :limit`,
        { number: String(number), limit },
      ),
  };
}

/** Rows that one statement reads or changes: one for all of them would take longer than a statement may. */
export const ROWS_AT_ONCE = 1_000;
const AFTER_ALL_IDS = String(2n ** 63n - 1n);

interface OpenAgainPage {
  /** The last id of the page; null when there is none. */
  last: string | null;
  sent: string[];
  givenUp: string[];
  wereFinal: string[];
}

/** Ids of transactions that are open again, newest first. */
interface OpenAgain {
  /** Their bytes are sent again. */
  sent: bigint[];
  /** Their bytes are not: no-ops take their nonces. */
  givenUp: bigint[];
  /** Those of the given-up ones that were final by bytes of their own: `forgetCounts` is for them. */
  wereFinal: bigint[];
}

/**
 * SQL: whether `transactions t` has a control, and its signer is not the sender: what two signers send of a contract
 * has no order.
 */
const HAS_STRAY_CONTROL = `(
           t.signer is distinct from (select signer from lanes where is_sender) and exists (
             select 1 from transaction_intents m join intents i on i.number = m.intent_number
              where m.transaction_id = t.id and i.is_control))`;

/**
 * SQL: whether `transactions t` has calls, and the raise of its Operator's epoch is in no final block from then on. Two
 * signers may have the same calls in two epochs: with the raise in a block between them both are done. The raise itself
 * has no calls.
 */
const LACKS_RAISE = `(
           not t.is_noop and t.intent_numbers <> '{}' and exists (
             select 1 from operators p
              where p.address = t.operator and (p.raised_in is null or p.tag is not null and p.raised_in > :number)))`;

/**
 * Opens the transactions again that were seen in a block above a number. Given up is what had lost its nonce to another
 * program, or is of an earlier epoch, for its calls went elsewhere since, or came to nothing; and what has a stray
 * control, or lacks the raise of its epoch, whose calls go back into the queue. What was open and lacks a raise is
 * given up too.
 */
export async function openAgainAbove(tx: Tx, number: bigint): Promise<OpenAgain> {
  const openAgain: OpenAgain = { sent: [], givenUp: [], wereFinal: [] };
  let before: string | null = AFTER_ALL_IDS;
  while (before !== null) {
    const [page]: OpenAgainPage[] = await query<OpenAgainPage>(
      tx,
      `with page as (
         select id, block_number, status from transactions where id < :before order by id desc limit :size
       ), opened as (
         update transactions t set ${OPEN_AGAIN}
           from page where t.id = page.id and (page.block_number > :number or page.status = 'open' and ${LACKS_RAISE})
         returning t.id, page.status = 'displaced' or ${isStale('t')} or ${HAS_STRAY_CONTROL} or ${LACKS_RAISE} as is_given_up,
                   page.status = 'final' as was_final
       ), given_up as (
         update attempts a set given_up = true from opened r where a.transaction_id = r.id and r.is_given_up
       )
       select (select min(id)::text from page) as last,
              array(select id::text from opened where not is_given_up order by opened.id desc) as sent,
              array(select id::text from opened where is_given_up) as "givenUp",
              array(select id::text from opened where is_given_up and was_final) as "wereFinal"`,
      { before, size: ROWS_AT_ONCE, number: String(number) },
    );
    openAgain.sent.push(...page!.sent.map(BigInt));
    openAgain.givenUp.push(...page!.givenUp.map(BigInt));
    openAgain.wereFinal.push(...page!.wereFinal.map(BigInt));
    before = page!.last;
  }
  return openAgain;
}

/** SQL: whether `intents i` was in another transaction than `transactions t` that may have done its call. */
const WAS_ELSEWHERE = `exists (select 1 from transactions o where o.id = any(i.sent_in) and o.id <> t.id and not o.is_noop)`;

/**
 * SQL: intents of these transactions, each with one of them that it was in, and what tells how much of what is counted
 * of the intent is of that transaction.
 * @param order which of several it is: the first by that
 */
const counted = (
  order: string,
) => `select distinct on (i.number) i.number, t.id as transaction_id, ${WAS_ELSEWHERE} as was_elsewhere,
              cardinality(t.intent_numbers) = 1 as was_alone
         from transactions t join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
        where t.id = any(:ids::bigint[]) order by i.number, ${order}`;

/** SQL: what the transaction of `counted c` had counted of `intents i` counts no more: its block is gone. */
const UNCOUNTED = `burnt_gas = i.burnt_gas * c.was_elsewhere::int,
            retry_stage = case when not c.was_elsewhere then ${UNTRIED}
                         when c.was_alone then least(i.retry_stage, ${WITHOUT_LONE_REVERT}) else i.retry_stage end`;

/** A lane that is about to send one of them either has stored that by now, or finds that it left the queue. */
async function lockIntentsOf(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await query(
    tx,
    `select 1 from intents where number in (
       select intent_number from transaction_intents where transaction_id = any(:ids::bigint[])) order by number for update`,
    { ids: ids.map(String) },
  );
}

/**
 * Assigns intents back to these transactions that are open again, unless another one has them, and sets those that are
 * queued to `submitted`: their bytes may still be mined. Of several the newest does, so they come newest first. What
 * was counted of a queued one when its transaction ended counts no more, for that may end so again.
 */
export async function reassignIntents(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await lockIntentsOf(tx, ids);
  await query(
    tx,
    `with counted as (
       ${counted('t.id desc')}
     )
     update intents i
        set status = 'submitted', decided_by = c.transaction_id, updated_at = now(), ${UNCOUNTED},
            transaction_hash = ${newestHash('c.transaction_id')}
       from counted c where i.number = c.number and i.decided_by is null and i.status = 'queued'`,
    { ids: ids.map(String) },
  );
  // What is not queued, and no transaction decides on. A statement of its own: a row is updated once in each.
  await query(
    tx,
    `update intents i set decided_by = t.id
       from (select intent_number, max(transaction_id) as id from transaction_intents
              where transaction_id = any(:ids::bigint[]) group by intent_number) t
      where i.number = t.intent_number and i.decided_by is null`,
    { ids: ids.map(String) },
  );
}

/** The same for the counts of what is queued and was in these given-up transactions: there it stays. */
export async function forgetCounts(tx: Tx, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  await lockIntentsOf(tx, ids);
  await query(
    tx,
    `with counted as (
       ${counted('t.is_noop, t.id desc')}
     )
     update intents i set updated_at = now(), ${UNCOUNTED}
       from counted c where i.number = c.number and i.status = 'queued'`,
    { ids: ids.map(String) },
  );
}

/**
 * A success, and the number and epoch whose bit it has set: those of the intent, or of an effect that was found to be
 * of it.
 */
interface Unplaced extends OperatorNumber {
  intentNumber: bigint;
}

/**
 * Final successes of which no transaction here says in what block they are, among the next intents below a number; null
 * begins with the newest ones. Such a transaction is not known, or a receipt alone has shown the success: it was given
 * up, or is open still. Returns the last number that was looked at, null when there is none.
 */
export async function findUnplaced(
  db: Db,
  before: bigint | null,
): Promise<{ last: bigint | null; unplaced: Unplaced[] }> {
  const rows = await query<(Unplaced | { intentNumber: null }) & { last: bigint | null }>(
    db,
    // Not by "not exists", which is planned as a join: of all transactions, for each row of the page, when it expects
    // few of them.
    `with page as (
       select * from intents where number < coalesce(:before::bigint, ${AFTER_ALL_IDS}) order by number desc limit :size
     )
     select l.last, s.number as "intentNumber", s.operator, coalesce(e.epoch, s.epoch) as epoch, coalesce(e.number, s.number) as number
       from (select min(number) as last from page) l left join page s
         on s.status = 'confirmed' and s.final_at is not null and s.operator is not null
            and (select t.id from attempts a join transactions t on t.id = a.transaction_id
                  where a.hash = s.transaction_hash and t.mined_hash = a.hash) is null
       left join unknown_effects e on e.intent_number = s.number and e.transaction_hash = s.transaction_hash`,
    { before: before === null ? null : String(before), size: ROWS_AT_ONCE },
  );
  const unplaced = rows.flatMap(({ last: _last, ...row }) => (row.intentNumber === null ? [] : [row]));
  return { last: rows[0]!.last, unplaced };
}

/** Takes the finality of these successes back, as `reopenSuccesses` does. */
export async function reopenUnplaced(tx: Tx, numbers: readonly bigint[]): Promise<ChangedIntent[]> {
  const rows = await query<IntentRow>(
    tx,
    `update intents i set final_at = null
      where number = any(:numbers::bigint[]) and status = 'confirmed' and final_at is not null returning ${INTENT_COLUMNS}`,
    { numbers: numbers.map(String) },
  );
  return rows.map((row) => ({ intent: toIntent(row), notifyAccount: false }));
}

/** Takes the finality of the successes in these transactions back. Returns their intents, which are confirmed still. */
export async function reopenSuccesses(tx: Tx, ids: readonly bigint[]): Promise<ChangedIntent[]> {
  if (ids.length === 0) return [];
  const rows = await query<IntentRow>(
    tx,
    `update intents i set final_at = null
       from transaction_intents m join attempts a using (transaction_id)
      where m.transaction_id = any(:ids::bigint[]) and i.number = m.intent_number
        and i.transaction_hash = a.hash and i.status = 'confirmed' and i.final_at is not null
     returning ${INTENT_COLUMNS}`,
    { ids: ids.map(String) },
  );
  return rows.map((row) => ({ intent: toIntent(row), notifyAccount: false }));
}
