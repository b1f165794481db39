import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { BlockId } from '../../lib/block-id.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { IS_EPOCH_PENDING, MAY_LACK_COMMITS } from './epochs.ts';
import { DOUBTS } from './requeue.ts';
import type { Doubts } from './requeue.ts';
import { BLOCK, OPEN_AGAIN, toBlock } from './transactions.ts';
import type { BlockRow } from './transactions.ts';

/** A transaction of this service by one of its attempts, and the block that has it. */
export interface Inclusion {
  hash: Hex;
  block: BlockId;
  isFinal: boolean;
}

/** A transaction whose nonce was used for good, or without anything being done for its calls. */
export interface FinishedTransaction {
  id: bigint;
  /** A no-op, or refused by the Operator as a whole: none of its calls is to blame when they had no effect. */
  isBlameless: boolean;
  /** Of the attempt that was mined; null when it was none that is known. */
  minedHash: Hex | null;
  /** How many it has. */
  callCount: number;
}

/** SQL: the same of `transactions t`. */
export const FINISHED = `t.id, t.is_noop or t.was_refused as "isBlameless", t.mined_hash as "minedHash",
            cardinality(t.intent_numbers) as "callCount"`;

/** Those of these hashes that are attempts of this service. */
export async function findOwnHashes(db: Db, hashes: readonly Hex[]): Promise<Set<Hex>> {
  if (hashes.length === 0) return new Set();
  const rows = await query<{ hash: Hex }>(
    db,
    'select hash from attempts where hash = any(:hashes::bytea[])',
    { hashes: hashes.map(toBytes) },
  );
  return new Set(rows.map(({ hash }) => hash));
}

/**
 * Notes transactions whose attempts are in blocks, also when their nonces seemed to be used by another program. Hashes
 * of others are ignored. Returns those that are final now.
 */
export async function noteIncluded(tx: Tx, inclusions: readonly Inclusion[]): Promise<FinishedTransaction[]> {
  if (inclusions.length === 0) return [];
  const rows = await query<FinishedTransaction & { status: string }>(
    tx,
    `update transactions t
        set status = case when u.final then 'final' else 'mined' end, mined_hash = u.hash,
            block_number = u.block_number, block_hash = u.block_hash
       from unnest(:hashes::bytea[], :blockNumbers::bigint[], :blockHashes::bytea[], :finals::boolean[])
              as u (hash, block_number, block_hash, final)
       join attempts a on a.hash = u.hash
      where t.id = a.transaction_id and t.status <> 'final'
        and (t.status <> 'mined' or u.final or t.block_hash <> u.block_hash)
     returning ${FINISHED}, t.status`,
    {
      hashes: inclusions.map(({ hash }) => toBytes(hash)),
      blockNumbers: inclusions.map(({ block }) => String(block.number)),
      blockHashes: inclusions.map(({ block }) => toBytes(block.hash)),
      finals: inclusions.map(({ isFinal }) => isFinal),
    },
  );
  return rows.flatMap(({ status, ...finished }) => (status === 'final' ? [finished] : []));
}

/**
 * Ends the transactions that are in these blocks, which are final now. Returns them. What only a count says was used is
 * left to `finishPassed`, which comes after another count.
 */
export async function finishMined(tx: Tx, blocks: readonly Hex[]): Promise<FinishedTransaction[]> {
  if (blocks.length === 0) return [];
  return query<FinishedTransaction>(
    tx,
    `update transactions t set status = 'final'
      where status = 'mined' and mined_hash is not null and block_hash = any(:blocks::bytea[])
     returning ${FINISHED}`,
    { blocks: blocks.map(toBytes) },
  );
}

/** Ends the open transactions of a signer that cannot be mined with an effect after this final block. Returns them. */
export async function endOpen(tx: Tx, signer: Hex, final: BlockId): Promise<FinishedTransaction[]> {
  return query<FinishedTransaction>(
    tx,
    `update transactions t set status = 'displaced', block_number = :number, block_hash = :hash
      where signer = :signer and status = 'open' returning ${FINISHED}`,
    { signer: toBytes(signer), number: String(final.number), hash: toBytes(final.hash) },
  );
}

/** Opens transactions again whose blocks are canonical no longer. Returns how many. */
export async function openAgainIn(tx: Tx, blocks: readonly Hex[]): Promise<number> {
  if (blocks.length === 0) return 0;
  const rows = await query(
    tx,
    `update transactions set ${OPEN_AGAIN} where status = 'mined' and block_hash = any(:blocks::bytea[]) returning 1`,
    { blocks: blocks.map(toBytes) },
  );
  return rows.length;
}

/**
 * Opens transactions again that are mined, and without an event: where their nonces were used is asked for anew.
 * @param shown those with an event
 * @param pruned blocks whose events nobody can tell any more: what was mined there stays so
 */
export async function openAgainWithoutEvent(
  tx: Tx,
  { shown, pruned }: { shown: readonly Hex[]; pruned: readonly Hex[] },
): Promise<void> {
  await query(
    tx,
    `update transactions set ${OPEN_AGAIN}
      where status = 'mined'
        and (mined_hash is null or not (mined_hash = any(:shown::bytea[]) or block_hash = any(:pruned::bytea[])))`,
    { shown: shown.map(toBytes), pruned: pruned.map(toBytes) },
  );
}

/** Blocks of the transactions that are mined and not final, each once. */
export async function findMinedBlocks(tx: Tx): Promise<Hex[]> {
  const rows = await query<{ hash: Hex }>(
    tx,
    `select distinct block_hash as hash from transactions where status = 'mined'`,
  );
  return rows.map(({ hash }) => hash);
}

/** A signer with transactions of which no attempt is known to be mined, and the first nonce of them. */
export interface UncountedLane {
  signer: Hex;
  firstNonce: bigint;
  /** The last nonce that is taken for used by another program, which is not final; null when there is none. */
  lastForeign: bigint | null;
}

/**
 * What of all signers is unfinished: whose nonces are waited for, and whether anything is at all; and when that was so.
 * A success whose block a reorg may take back is unfinished too, whatever became of its transaction; and so is
 * everything while commits may be lost, or an epoch is about to begin (`looksForUnknown`).
 */
export async function findUnfinishedLanes(
  db: Db,
): Promise<{ open: UncountedLane[]; isAny: boolean; looksForUnknown: boolean; asOf: string }> {
  const rows = await query<{
    signer: Hex | null;
    firstNonce: bigint | null;
    lastForeign: bigint | null;
    isReversible: boolean;
    looksForUnknown: boolean;
    asOf: string;
  }>(
    db,
    `select u.*, exists (select 1 from intents where phase = 'confirmed' and final_at is null) as "isReversible",
            ${MAY_LACK_COMMITS} or ${IS_EPOCH_PENDING} as "looksForUnknown", clock_timestamp()::text as "asOf" from (select 1) o left join (
       select signer, min(nonce) filter (where mined_hash is null) as "firstNonce",
              max(nonce) filter (where mined_hash is null and status = 'mined') as "lastForeign"
         from transactions where status in ('open', 'mined') group by signer) u on true`,
  );
  const { signer, isReversible, looksForUnknown, asOf } = rows[0]!;
  return {
    open: rows.flatMap(({ signer, firstNonce, lastForeign }) =>
      signer === null || firstNonce === null ? [] : [{ signer, firstNonce, lastForeign }],
    ),
    isAny: signer !== null || isReversible || looksForUnknown,
    looksForUnknown,
    asOf,
  };
}

/** A call of a finished transaction whose intent has no verdict yet. */
export interface UndecidedMember extends OperatorEpoch, Doubts {
  transactionId: bigint;
  number: bigint;
  gasCap: number;
  gasMax: number;
  isDeployment: boolean;
  /** How it went, see retry-policy.ts. */
  retryStage: number;
  /** Calls of its transaction. */
  callCount: number;
}

export async function findUndecidedMembers(db: Db | Tx, ids: readonly bigint[]): Promise<UndecidedMember[]> {
  if (ids.length === 0) return [];
  return query<UndecidedMember>(
    db,
    `select m.transaction_id as "transactionId", m.intent_number as number, m.gas_cap as "gasCap", i.operator, i.epoch,
            i.target <> i.contract as "isDeployment", i.retry_stage as "retryStage", i.gas_max as "gasMax", ${DOUBTS},
            (select cardinality(intent_numbers) from transactions t where t.id = m.transaction_id) as "callCount"
       from transaction_intents m join intents i on i.number = m.intent_number
      where m.transaction_id = any(:ids::bigint[]) and i.decided_by = m.transaction_id and i.status = 'submitted'
      order by m.transaction_id, m.position`,
    { ids: ids.map(String) },
  );
}

/** Ends a transaction that `notePassed` has noted, in a block that is final. Returns it. */
export async function finishPassed(tx: Tx, id: bigint): Promise<FinishedTransaction[]> {
  return query<FinishedTransaction>(
    tx,
    `update transactions t set status = case when mined_hash is null then 'displaced' else 'final' end
      where id = :id and status = 'mined' returning ${FINISHED}`,
    { id: String(id) },
  );
}

/**
 * Opens transactions of a signer again whose nonces other bytes used, as it seemed, from the nonce on that the chain
 * waits for.
 */
export async function openAgainForeign(tx: Tx, signer: Hex, count: bigint): Promise<void> {
  await query(
    tx,
    `update transactions set ${OPEN_AGAIN}
      where signer = :signer and nonce >= :count and status = 'mined' and mined_hash is null`,
    { signer: toBytes(signer), count: String(count) },
  );
}

/**
 * Notes that the chain has used the nonce of one. `hash` is null when no attempt of it is known to be mined. Returns
 * it when it is mined by one of its attempts now.
 */
export async function notePassed(
  tx: Tx,
  passed: { id: bigint; hash: Hex | null; block: BlockId; wasRefused: boolean },
): Promise<FinishedTransaction[]> {
  const rows = await query<FinishedTransaction>(
    tx,
    `update transactions t
        set status = 'mined', mined_hash = :hash, block_number = :blockNumber, block_hash = :blockHash,
            was_refused = :wasRefused
      where id = :id and status in ('open', 'mined') and mined_hash is null
     returning ${FINISHED}`,
    {
      id: String(passed.id),
      wasRefused: passed.wasRefused,
      hash: passed.hash && toBytes(passed.hash),
      blockNumber: String(passed.block.number),
      blockHash: toBytes(passed.block.hash),
    },
  );
  return rows.filter(({ minedHash }) => minedHash !== null);
}

/** A transaction whose nonce the chain has used, by none of its attempts as far as is known. */
export interface PassedTransaction extends OperatorEpoch {
  id: bigint;
  /** Set when its nonce is taken for used by another program: the block at which that was seen. */
  foreignIn: BlockId | null;
  signer: Hex;
  nonce: bigint;
  /** Of all its attempts. */
  hashes: Hex[];
}

/** Transactions of a signer below a nonce of which no attempt is known to be mined, in order; none that is finished. */
export async function findOpenBelow(db: Db, signer: Hex, nonce: bigint): Promise<PassedTransaction[]> {
  const rows = await query<Omit<PassedTransaction, 'foreignIn'> & BlockRow>(
    db,
    `select t.id, t.signer, t.nonce, t.operator, t.epoch, ${BLOCK},
            (select coalesce(array_agg(a.hash), '{}') from attempts a where a.transaction_id = t.id) as hashes
       from transactions t where t.signer = :signer and t.status in ('open', 'mined') and t.mined_hash is null and t.nonce < :nonce order by t.nonce`,
    { signer: toBytes(signer), nonce: String(nonce) },
  );
  return rows.map(({ blockNumber, blockHash, ...row }) => ({
    ...row,
    foreignIn: toBlock({ blockNumber, blockHash }),
  }));
}
