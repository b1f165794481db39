import { query } from '../db/client.ts';
import type { Db, Tx } from '../db/client.ts';
import { toBytes, toHex } from '../db/bytes.ts';
import type { Hex } from '../db/bytes.ts';
import type { ErrorCode } from '../errors.ts';
import type { Environment, Intent, IntentOwner, IntentStatus, NewIntent } from './intent.ts';

interface IntentRow {
  number: bigint;
  id: string;
  account_id: string;
  environment: Environment;
  kind: string;
  contract: Buffer;
  arguments: Record<string, unknown>;
  status: IntentStatus;
  result: Buffer | null;
  error_code: ErrorCode | null;
  error_message: string | null;
  transaction_hash: Buffer | null;
  created_at: Date;
  updated_at: Date;
}

/** Columns of `intents i` that make an Intent. */
const INTENT_COLUMNS = `i.number, i.id, i.account_id, i.environment, i.kind, i.contract, i.arguments, i.status, i.result,
  i.error_code, i.error_message, i.transaction_hash, i.created_at, i.updated_at`;

const toIntent = (row: IntentRow): Intent => ({
  number: row.number,
  id: row.id,
  accountId: row.account_id,
  environment: row.environment,
  kind: row.kind,
  contract: toHex(row.contract),
  arguments: row.arguments,
  status: row.status,
  result: row.result && toHex(row.result),
  error: row.error_code && { code: row.error_code, message: row.error_message! },
  transactionHash: row.transaction_hash && toHex(row.transaction_hash),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Inserts accepted requests and answers their intents in the same order. */
export async function insertIntents(tx: Tx, requests: readonly NewIntent[]): Promise<Intent[]> {
  const rows = await query<IntentRow>(
    tx,
    `insert into intents as i (id, account_id, environment, kind, contract, target, calldata, arguments, gas_estimate, status, final_at)
     select id, account_id, environment, kind, contract, target, calldata, arguments, gas_estimate,
            case when target is null then 'confirmed' else 'queued' end,
            case when target is null then now() end
       from unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::bytea[], ?::bytea[], ?::bytea[], ?::jsonb[], ?::int[])
            with ordinality as r (id, account_id, environment, kind, contract, target, calldata, arguments, gas_estimate, place)
      order by place
     returning ${INTENT_COLUMNS}`,
    [
      requests.map(({ id }) => id),
      requests.map(({ accountId }) => accountId),
      requests.map(({ environment }) => environment),
      requests.map(({ kind }) => kind),
      requests.map(({ contract }) => toBytes(contract)),
      requests.map(({ call }) => call && toBytes(call.target)),
      requests.map(({ call }) => call && toBytes(call.data)),
      requests.map((request) => JSON.stringify(request.arguments)),
      requests.map(({ call }) => call?.gasEstimate ?? 0),
    ],
  );
  const byId = new Map(rows.map((row) => [row.id, toIntent(row)]));
  return requests.map(({ id }) => byId.get(id)!);
}

/** The intents of these numbers, in no promised order. */
export async function findIntents(db: Db | Tx, numbers: readonly bigint[]): Promise<Intent[]> {
  if (numbers.length === 0) return [];
  const rows = await query<IntentRow>(
    db,
    `select ${INTENT_COLUMNS} from intents i where i.number = any(?::bigint[])`,
    [numbers.map(String)],
  );
  return rows.map(toIntent);
}

/** The intent of this id if the account owns it in this environment. */
export async function findIntent(db: Db | Tx, owner: IntentOwner, id: string): Promise<Intent | undefined> {
  const [row] = await query<IntentRow>(
    db,
    `select ${INTENT_COLUMNS} from intents i where i.id = ? and i.account_id = ? and i.environment = ?`,
    [id, owner.accountId, owner.environment],
  );
  return row && toIntent(row);
}

/** Which intents a page shows: those with a smaller number than `before`, newest first. */
export interface IntentPage {
  status: IntentStatus | null;
  contract: Hex | null;
  before: bigint | null;
  limit: number;
}

export async function listIntents(db: Db, owner: IntentOwner, page: IntentPage): Promise<Intent[]> {
  const rows = await query<IntentRow>(
    db,
    `select ${INTENT_COLUMNS} from intents i
      where i.account_id = :accountId and i.environment = :environment
        and i.number < coalesce(cast(:before as bigint), 9223372036854775807)
        and (cast(:status as text) is null or i.status = :status)
        and (cast(:contract as bytea) is null or i.contract = :contract)
      order by i.number desc limit :limit`,
    {
      ...owner,
      before: page.before === null ? null : String(page.before),
      status: page.status,
      contract: page.contract && toBytes(page.contract),
      limit: page.limit,
    },
  );
  return rows.map(toIntent);
}

/** Whether anything on this contract is queued or submitted. */
export async function hasOpenIntent(db: Db, contract: Hex): Promise<boolean> {
  const rows = await query(
    db,
    `select 1 from intents where contract = ? and status in ('queued', 'submitted') limit 1`,
    [toBytes(contract)],
  );
  return rows.length > 0;
}

/** An intent that waits for a transaction. */
export interface QueuedIntent {
  number: bigint;
  accountId: string;
  contract: Hex;
  target: Hex;
  data: Hex;
  gasEstimate: number;
  /** It used up its gas cap once: its next call gets the largest cap, alone in its transaction. */
  fullGas: boolean;
  /** The most calls that its next transaction may carry; halved when a transaction of it failed as a whole. */
  batchLimit: number;
}

/**
 * Queued intents for one lane: round-robin by account, in order within an account and so within a contract.
 * Contracts of another signer's lane are left out, and those that this lane waits for (`excluded`).
 */
export async function findQueued(
  db: Db,
  signer: Hex,
  { excluded, limit }: { excluded: readonly Hex[]; limit: number },
): Promise<(QueuedIntent & { assigned: boolean })[]> {
  const rows = await query<{
    number: bigint;
    account_id: string;
    contract: Buffer;
    target: Buffer;
    calldata: Buffer;
    gas_estimate: number;
    full_gas: boolean;
    batch_limit: number;
    assigned: boolean;
  }>(
    db,
    // A skip scan over the partial index finds the accounts that have work without reading their whole queues.
    `with recursive next_account as (
       (select account_id from intents where status = 'queued' order by account_id limit 1)
       union all
       select (select i.account_id from intents i
                where i.status = 'queued' and i.account_id > n.account_id order by i.account_id limit 1)
         from next_account n where n.account_id is not null
     ), waiting as (
       select account_id from next_account where account_id is not null limit ?
     ), share as (
       select greatest(?::int / greatest(count(*), 1), 1) * 2 as size from waiting
     )
     select q.*, l.signer is not null as assigned
       from waiting w, share, lateral (
         select i.number, i.account_id, i.contract, i.target, i.calldata, i.gas_estimate, i.full_gas, i.batch_limit,
                row_number() over (order by i.number) as turn
           from intents i
          where i.status = 'queued' and i.account_id = w.account_id and not i.contract = any(?::bytea[])
          order by i.number limit share.size
       ) q left join contract_lanes l on l.contract = q.contract
      where l.signer is null or l.signer = ?
      order by q.turn, q.number limit ?`,
    [limit, limit, excluded.map(toBytes), toBytes(signer), limit],
  );
  return rows.map((row) => ({
    number: row.number,
    accountId: row.account_id,
    contract: toHex(row.contract),
    target: toHex(row.target),
    data: toHex(row.calldata),
    gasEstimate: row.gas_estimate,
    fullGas: row.full_gas,
    batchLimit: row.batch_limit,
    assigned: row.assigned,
  }));
}

/** Gives contracts that have no lane yet to this one; answers those that it got. */
export async function claimContracts(db: Db, signer: Hex, contracts: readonly Hex[]): Promise<Set<Hex>> {
  const rows = await query<{ contract: Buffer }>(
    db,
    `insert into contract_lanes (contract, signer) select c, ? from unnest(?::bytea[]) as c order by c
     on conflict (contract) do nothing returning contract`,
    [toBytes(signer), contracts.map(toBytes)],
  );
  return new Set(rows.map(({ contract }) => toHex(contract)));
}

/** A lane's right to write: every statement of its holder carries the epoch. */
export interface LaneKey {
  signer: Hex;
  epoch: bigint;
}

/** Signed bytes for one nonce slot. Fees are wei per gas. */
export interface Attempt {
  hash: Hex;
  raw: Hex;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** One call of a transaction: which intent, and the gas that it may use. */
export interface Member {
  number: bigint;
  contract: Hex;
  gasCap: number;
  fullGas: boolean;
}

/** A transaction that has no final verdict yet. */
export interface Transaction {
  id: bigint;
  nonce: bigint;
  gasLimit: bigint;
  calldata: Hex;
  attempts: Attempt[];
  members: Member[];
  /** Set while a receipt of one of its attempts stands in the chain but is not yet deep enough. */
  mined: { hash: Hex; blockNumber: bigint; blockHash: Hex } | null;
}

/**
 * Allocates the nonce and stores transaction, membership and signed bytes, and moves the intents to `submitted`:
 * all or nothing. Answers the transaction's id, or null when the lane was lost or an intent left the queue meanwhile.
 */
export async function insertTransaction(
  db: Db,
  lane: LaneKey,
  draft: { nonce: bigint; gasLimit: bigint; calldata: Hex; attempt: Attempt; members: readonly Member[] },
): Promise<bigint | null> {
  const stale = new Error('the lane was lost, or an intent left the queue');
  try {
    return await db.transaction(async (tx) => {
      const [row] = await query<{ id: bigint; moved: bigint }>(
        tx,
        `with lane as (
         update lanes set next_nonce = next_nonce + 1
          where signer = :signer and epoch = :epoch and next_nonce = :nonce returning signer
       ), stored as (
         insert into transactions (signer, nonce, gas_limit, calldata)
         select signer, :nonce, :gasLimit, :calldata from lane returning id
       ), attempt as (
         insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
         select :hash, id, :raw, :maxFee, :tip from stored
       ), members as (
         insert into transaction_intents (transaction_id, position, intent_number, gas_cap)
         select stored.id, m.position - 1, m.number, m.gas_cap
           from stored, unnest(cast(:numbers as bigint[]), cast(:gasCaps as int[])) with ordinality as m (number, gas_cap, position)
       ), moved as (
         update intents i set status = 'submitted', transaction_hash = :hash, updated_at = now()
           from stored where i.number = any(cast(:numbers as bigint[])) and i.status = 'queued' returning 1
       )
       select stored.id, (select count(*) from moved) as moved from stored`,
        {
          signer: toBytes(lane.signer),
          epoch: String(lane.epoch),
          nonce: String(draft.nonce),
          gasLimit: String(draft.gasLimit),
          calldata: toBytes(draft.calldata),
          hash: toBytes(draft.attempt.hash),
          raw: toBytes(draft.attempt.raw),
          maxFee: String(draft.attempt.maxFeePerGas),
          tip: String(draft.attempt.maxPriorityFeePerGas),
          numbers: draft.members.map(({ number }) => String(number)),
          gasCaps: draft.members.map(({ gasCap }) => gasCap),
        },
      );
      if (!row || row.moved !== BigInt(draft.members.length)) throw stale;
      return row.id;
    });
  } catch (error) {
    if (error === stale) return null;
    throw error;
  }
}

/** Adds signed bytes with higher fees for the same slot; false when the lane or the transaction is no longer ours. */
export async function insertAttempt(
  db: Db,
  lane: LaneKey,
  transactionId: bigint,
  attempt: Attempt,
): Promise<boolean> {
  const rows = await query(
    db,
    `with stored as (
       insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select ?, t.id, ?, ?, ? from transactions t join lanes l using (signer)
        where t.id = ? and t.status = 'open' and l.signer = ? and l.epoch = ?
       on conflict (hash) do nothing returning transaction_id
     )
     update intents set transaction_hash = ?, updated_at = now()
      where status = 'submitted' and number in (
        select intent_number from transaction_intents m join stored using (transaction_id) where m.live)
     returning 1`,
    [
      toBytes(attempt.hash),
      toBytes(attempt.raw),
      String(attempt.maxFeePerGas),
      String(attempt.maxPriorityFeePerGas),
      String(transactionId),
      toBytes(lane.signer),
      String(lane.epoch),
      toBytes(attempt.hash),
    ],
  );
  return rows.length > 0;
}

/** Every transaction of the signer that is not final, with all its attempts and members, by nonce. */
export async function findUnfinished(db: Db, signer: Hex): Promise<Transaction[]> {
  const rows = await query<{
    id: bigint;
    nonce: bigint;
    gas_limit: bigint;
    calldata: Buffer;
    mined_hash: Buffer | null;
    block_number: bigint | null;
    block_hash: Buffer | null;
  }>(
    db,
    `select id, nonce, gas_limit, calldata, mined_hash, block_number, block_hash
       from transactions where signer = ? and status in ('open', 'mined') order by nonce`,
    [toBytes(signer)],
  );
  const ids = rows.map(({ id }) => String(id));
  const attempts = await query<{
    transaction_id: bigint;
    hash: Buffer;
    raw: Buffer;
    max_fee_per_gas: string;
    max_priority_fee_per_gas: string;
  }>(
    db,
    `select transaction_id, hash, raw, max_fee_per_gas, max_priority_fee_per_gas
       from attempts where transaction_id = any(?::bigint[]) order by max_fee_per_gas`,
    [ids],
  );
  const members = await query<{
    transaction_id: bigint;
    intent_number: bigint;
    contract: Buffer;
    gas_cap: number;
    full_gas: boolean;
  }>(
    db,
    `select m.transaction_id, m.intent_number, i.contract, m.gas_cap, i.full_gas
       from transaction_intents m join intents i on i.number = m.intent_number
      where m.transaction_id = any(?::bigint[]) and m.live order by m.transaction_id, m.position`,
    [ids],
  );
  return rows.map((row) => ({
    id: row.id,
    nonce: row.nonce,
    gasLimit: row.gas_limit,
    calldata: toHex(row.calldata),
    attempts: attempts
      .filter(({ transaction_id }) => transaction_id === row.id)
      .map((attempt) => ({
        hash: toHex(attempt.hash),
        raw: toHex(attempt.raw),
        maxFeePerGas: BigInt(attempt.max_fee_per_gas),
        maxPriorityFeePerGas: BigInt(attempt.max_priority_fee_per_gas),
      })),
    members: members
      .filter(({ transaction_id }) => transaction_id === row.id)
      .map((member) => ({
        number: member.intent_number,
        contract: toHex(member.contract),
        gasCap: member.gas_cap,
        fullGas: member.full_gas,
      })),
    mined: row.block_hash && {
      hash: toHex(row.mined_hash!),
      blockNumber: row.block_number!,
      blockHash: toHex(row.block_hash),
    },
  }));
}

/** Moves the row of a transaction; false when it is not in one of the `from` states or the lane was lost. */
export async function updateTransaction(
  tx: Tx,
  lane: LaneKey,
  id: bigint,
  from: readonly string[],
  to: {
    status: 'open' | 'mined' | 'final' | 'displaced';
    mined: { hash: Hex; blockNumber: bigint; blockHash: Hex; gasUsed: bigint } | null;
  },
): Promise<boolean> {
  const rows = await query(
    tx,
    `update transactions t
        set status = ?, mined_hash = ?, block_number = ?, block_hash = ?, gas_used = ?
       from lanes l
      where t.id = ? and t.status = any(?::text[]) and l.signer = t.signer and l.signer = ? and l.epoch = ?
     returning 1`,
    [
      to.status,
      to.mined && toBytes(to.mined.hash),
      to.mined && String(to.mined.blockNumber),
      to.mined && toBytes(to.mined.blockHash),
      to.mined && String(to.mined.gasUsed),
      String(id),
      from,
      toBytes(lane.signer),
      String(lane.epoch),
    ],
  );
  return rows.length > 0;
}

/** Frees intents of a transaction that had no effect, so that another transaction may carry them. */
export async function releaseMembers(
  tx: Tx,
  transactionId: bigint,
  numbers: readonly bigint[],
): Promise<void> {
  await query(
    tx,
    `update transaction_intents set live = false where transaction_id = ? and intent_number = any(?::bigint[]) and live`,
    [String(transactionId), numbers.map(String)],
  );
}

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
  tx: Tx | Db,
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

/** How often each of these intents failed together with a transaction that carried nothing else. */
export async function countLoneFailures(tx: Tx, numbers: readonly bigint[]): Promise<Map<bigint, number>> {
  const rows = await query<{ number: bigint; lone_failures: number }>(
    tx,
    'select number, lone_failures from intents where number = any(?::bigint[])',
    [numbers.map(String)],
  );
  return new Map(rows.map(({ number, lone_failures }) => [number, lone_failures]));
}

/** A success: the data that its call answered, and the transaction in which it did. */
export interface Success {
  number: bigint;
  result: Hex;
  transactionHash: Hex;
}

/** Marks successes; `final` once they are deep enough. Answers the intents that moved. */
export async function confirmIntents(
  tx: Tx,
  successes: readonly Success[],
  final: boolean,
): Promise<Intent[]> {
  if (successes.length === 0) return [];
  const rows = await query<IntentRow>(
    tx,
    `update intents i
        set status = 'confirmed', result = s.result, transaction_hash = s.hash, updated_at = now(),
            final_at = case when ? then now() end
       from unnest(?::bigint[], ?::bytea[], ?::bytea[]) as s (number, result, hash)
      where i.number = s.number and i.status in ('queued', 'submitted', 'confirmed') and i.final_at is null
     returning ${INTENT_COLUMNS}`,
    [
      final,
      successes.map(({ number }) => String(number)),
      successes.map(({ result }) => toBytes(result)),
      successes.map(({ transactionHash }) => toBytes(transactionHash)),
    ],
  );
  return rows.map(toIntent);
}

/** A reorg took these successes back: they are under way again. Answers the intents that moved. */
export async function retractIntents(
  tx: Tx,
  numbers: readonly bigint[],
  transactionHash: Hex,
): Promise<Intent[]> {
  const rows = await query<IntentRow>(
    tx,
    `update intents i set status = 'submitted', result = null, transaction_hash = ?, updated_at = now()
      where i.number = any(?::bigint[]) and i.status = 'confirmed' and i.final_at is null
     returning ${INTENT_COLUMNS}`,
    [toBytes(transactionHash), numbers.map(String)],
  );
  return rows.map(toIntent);
}

/** Cancels an intent if it is still queued; undefined otherwise. */
export async function cancelQueued(tx: Tx, number: bigint): Promise<Intent | undefined> {
  const [row] = await query<IntentRow>(
    tx,
    `update intents i set status = 'cancelled', updated_at = now(), final_at = now()
      where i.number = ? and i.status = 'queued' returning ${INTENT_COLUMNS}`,
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

/** Marks failures, which are final. Answers the intents that moved. */
export async function failIntents(
  tx: Tx,
  failures: readonly Failure[],
  from: readonly IntentStatus[],
): Promise<Intent[]> {
  if (failures.length === 0) return [];
  const rows = await query<IntentRow>(
    tx,
    `update intents i
        set status = 'failed', result = null, error_code = f.code, error_message = f.message,
            transaction_hash = f.hash, updated_at = now(), final_at = now()
       from unnest(?::bigint[], ?::text[], ?::text[], ?::bytea[]) as f (number, code, message, hash)
      where i.number = f.number and i.status = any(?::text[]) and i.final_at is null
     returning ${INTENT_COLUMNS}`,
    [
      failures.map(({ number }) => String(number)),
      failures.map(({ error }) => error.code),
      failures.map(({ error }) => error.message),
      failures.map(({ transactionHash }) => transactionHash && toBytes(transactionHash)),
      from,
    ],
  );
  return rows.map(toIntent);
}

/** Queued intents that no transaction ever carried: nothing of them can have reached the chain. */
export async function findNeverSent(db: Db, limit: number): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    db,
    `select i.number from intents i
      where i.status = 'queued'
        and not exists (select 1 from transaction_intents m where m.intent_number = i.number)
      order by i.number limit ?`,
    [limit],
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
