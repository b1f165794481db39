import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { EMAIL_KEY, emailKey } from '../../lib/email.ts';
import type { Fees } from '../../lib/fees.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorNumber } from '../../lib/operator-epoch.ts';
import type { Intent } from '../intent.ts';
import type { TransactionStatus } from '../states.ts';
import { INTENT_COLUMNS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';
import { IS_BEFORE, isSwitch } from './queue.ts';
import { BLOCK, FEES, toBlock, toFees } from './transactions.ts';
import type { BlockRow, FeesRow } from './transactions.ts';

/** An intent as commands see it: of any account. */
export interface InspectedIntent extends Intent {
  email: string;
  /** Null while a reorg may still take the verdict back. */
  finalAt: Date | null;
  /** That of its contract, and its epoch there; null when nothing had to be sent. */
  operator: Hex | null;
  epoch: bigint | null;
  /** Whether the Operator may have done it, in a transaction that is not found yet. */
  inDoubt: boolean;
  /**
   * Milliseconds since it was accepted, put back into the queue or settled, whatever was last; by the database's clock.
   */
  unchangedMs: number;
  /** What the database said when it refused the verdict, and since when; null when it did not. */
  quarantine: { error: string; since: Date } | null;
}

type InspectedRow = IntentRow &
  Omit<InspectedIntent, keyof Intent | 'quarantine'> & { refusal: string | null; since: Date };

const INSPECTED = `select ${INTENT_COLUMNS}, i.final_at as "finalAt", i.operator, i.epoch, i.in_doubt as "inDoubt", a.email,
            (extract(epoch from now() - i.updated_at) * 1000)::float8 as "unchangedMs", q.error as refusal, q.since
       from intents i join accounts a on a.id = i.account_id left join quarantined q on q.intent_number = i.number`;

const toInspected = ({
  email,
  finalAt,
  operator,
  epoch,
  inDoubt,
  unchangedMs,
  refusal,
  since,
  ...row
}: InspectedRow): InspectedIntent => ({
  ...toIntent(row),
  ...{ email, finalAt, operator, epoch, inDoubt, unchangedMs },
  quarantine: refusal === null ? null : { error: refusal, since },
});

export async function inspectIntent(db: Db, id: string): Promise<InspectedIntent | undefined> {
  const [row] = await query<InspectedRow>(db, `${INSPECTED} where i.id = :id`, { id });
  return row && toInspected(row);
}

/** A transaction of a lane, as `intents show` explains it. */
export interface InspectedTransaction {
  signer: Hex;
  nonce: bigint;
  status: TransactionStatus;
  createdAt: Date;
  blockNumber: bigint | null;
  /** Of its attempts, oldest first. */
  hashes: Hex[];
}

const TRANSACTION = `t.signer, t.nonce, t.status, t.created_at as "createdAt", t.block_number as "blockNumber",
  (select array_agg(a.hash order by a.max_fee_per_gas) from attempts a where a.transaction_id = t.id) as hashes`;

/** The transaction that decides on an intent. */
export async function findTransactionOf(db: Db, intent: bigint): Promise<InspectedTransaction | undefined> {
  const [row] = await query<InspectedTransaction>(
    db,
    `select ${TRANSACTION} from intents i join transactions t on t.id = i.decided_by where i.number = :intent`,
    { intent: String(intent) },
  );
  return row;
}

/** The first open transaction of the signer: all later ones wait for it. */
export async function findFirstOpen(db: Db, signer: Hex): Promise<InspectedTransaction | undefined> {
  const [row] = await query<InspectedTransaction>(
    db,
    `select ${TRANSACTION} from transactions t where t.signer = :signer and t.status = 'open' order by t.nonce limit 1`,
    { signer: toBytes(signer) },
  );
  return row;
}

/** Another intent of its contract that one waits for. */
type WaitedFor = Pick<Intent, 'id' | 'status' | 'createdAt'>;

/** The oldest open intent of its contract that was asked for before this one. */
export function findAhead(db: Db, intent: Pick<Intent, 'number'>): Promise<WaitedFor | undefined> {
  return findWaitedFor(db, intent, IS_BEFORE);
}

/** The oldest switch of its contract that was asked for after this one, went before it, and is not mined. */
export function findSwitchInFlight(db: Db, intent: Pick<Intent, 'number'>): Promise<WaitedFor | undefined> {
  return findWaitedFor(
    db,
    intent,
    `e.contract = i.contract and e.number > i.number and e.phase = 'open' and e.status = 'submitted' and ${isSwitch('e')}`,
  );
}

async function findWaitedFor(
  db: Db,
  { number }: Pick<Intent, 'number'>,
  isWaitedFor: string,
): Promise<WaitedFor | undefined> {
  const [row] = await query<WaitedFor>(
    db,
    `select e.id, e.status, e.created_at as "createdAt" from intents i join intents e on ${isWaitedFor}
      where i.number = :number order by e.number limit 1`,
    { number: String(number) },
  );
  return row;
}

/** What an intent that waits in the queue is known by on the chain. */
interface QueuedCall extends OperatorNumber {
  /** The attempt for it that is in a block, or else the newest one; null when none is known. */
  lastHash: Hex | null;
}

/** Undefined when it is not queued. */
export async function findQueuedCall(db: Db, number: bigint): Promise<QueuedCall | undefined> {
  const [row] = await query<QueuedCall>(
    db,
    `select i.number, i.operator, i.epoch,
            (select a.hash from attempts a join transactions t on t.id = a.transaction_id
              where t.id = any(i.sent_in) order by (a.hash = t.mined_hash) is true desc, a.created_at desc limit 1) as "lastHash"
       from intents i where i.number = :number and i.status = 'queued'`,
    { number: String(number) },
  );
  return row;
}

/** Open intents of any account that have waited for so many seconds, and those in quarantine, oldest first. */
export async function findStuck(
  db: Db,
  { seconds, limit }: { seconds: number; limit: number },
): Promise<{ id: string }[]> {
  return query<{ id: string }>(
    db,
    `select id from (
       select id, number from intents
        where phase = 'open' and created_at < now() - :seconds * interval '1 second'
       union all
       select id, number from intents where phase = 'quarantined') i
      order by number limit :limit`,
    { seconds, limit },
  );
}

/** What a person may know of an intent. */
export type IntentTrace = { transactionHash: Hex } | { address: Hex } | { email: string };

const WAS_SIGNED_IN = `i.number in (
         select m.intent_number from attempts a join transaction_intents m using (transaction_id)
          where a.hash = :value::bytea)`;

/**
 * Intents, newest first, and before those of the sandbox, whose numbers are all larger: those that were in a
 * transaction, by the hash of any of its attempts; those on a contract; or those of an account.
 */
export async function traceIntents(db: Db, trace: IntentTrace, limit: number): Promise<InspectedIntent[]> {
  const [condition, value] =
    'transactionHash' in trace
      ? [WAS_SIGNED_IN, toBytes(trace.transactionHash)]
      : 'address' in trace
        ? ['i.contract = :value::bytea', toBytes(trace.address)]
        : [
            `i.account_id = (select id from accounts where ${EMAIL_KEY} = :value::text)`,
            emailKey(trace.email),
          ];
  const rows = await query<InspectedRow>(
    db,
    `${INSPECTED} where ${condition} order by i.environment = 'sandbox', i.number desc limit :limit`,
    { value, limit },
  );
  return rows.map(toInspected);
}

/** An attempt that was signed for an intent, with its transaction. */
export interface SentAttempt extends Fees {
  hash: Hex;
  /** When it was signed, which is just before it was sent. */
  sentAt: Date;
  nonce: bigint;
  transactionId: bigint;
  status: TransactionStatus;
  /** Whether this transaction decides on the intent, or did. */
  decides: boolean;
  /** Of the attempt that was mined; null before that, and when it is none that is known. */
  minedHash: Hex | null;
  /** Where the nonce was used; null before. */
  block: { number: bigint; hash: Hex } | null;
}

/** What happened to an intent so far. */
export interface IntentHistory {
  /** Null while a reorg may still take the verdict back. */
  finalAt: Date | null;
  /** Oldest first. */
  attempts: SentAttempt[];
}

type AttemptRow = Omit<SentAttempt, keyof Fees | 'block'> & FeesRow & BlockRow;

/** The newest `limit` attempts of an intent, and whether it is final. */
export async function readHistory(db: Db, number: bigint, limit: number): Promise<IntentHistory> {
  const [intent] = await query<Pick<IntentHistory, 'finalAt'>>(
    db,
    'select final_at as "finalAt" from intents where number = :number',
    { number: String(number) },
  );
  const rows = await query<AttemptRow>(
    db,
    `select a.hash, ${FEES}, a.created_at as "sentAt", t.nonce, t.id as "transactionId", t.status,
            t.id is not distinct from i.decided_by as decides, t.mined_hash as "minedHash", ${BLOCK}
       from intents i join transactions t on t.id = any(i.sent_in) join attempts a on a.transaction_id = t.id
      where i.number = :number order by t.id desc, a.max_fee_per_gas desc limit :limit`,
    { number: String(number), limit },
  );
  return { finalAt: intent?.finalAt ?? null, attempts: rows.map(toAttempt).reverse() };
}

const toAttempt = ({ blockNumber, blockHash, ...row }: AttemptRow): SentAttempt => ({
  ...row,
  ...toFees(row),
  block: toBlock({ blockNumber, blockHash }),
});
