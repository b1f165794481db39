import type { BlockId } from '../../lib/block-id.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import { toBytes } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { TransactionStatus } from '../states.ts';

/** Signed bytes for one nonce. */
export interface Attempt extends Fees {
  hash: Hex;
  raw: Hex;
}

/** One call of a transaction: which intent, and the gas that it may use. */
export interface Member {
  number: bigint;
  contract: Hex;
  gasCap: number;
}

/** Where the nonce of a transaction was used, and by which of its attempts; null when by none that is known. */
export interface NonceUse {
  hash: Hex | null;
  block: BlockId;
}

/** A transaction that is not finished. All of its calls are of one Operator and epoch. */
export interface Transaction extends OperatorEpoch {
  id: bigint;
  nonce: bigint;
  /** It only frees its nonce from now on: its next attempts call nothing. Its calls may have been mined before. */
  isNoop: boolean;
  /** Of its next attempt. */
  gasLimit: bigint;
  /** Gas that it will use by experience. */
  expectedGas: number;
  calldata: Hex;
  /** Those that are sent, the one with the highest fees last. */
  attempts: Attempt[];
  members: Member[];
  /** Set while its nonce is used in a block that is canonical and not yet final. */
  used: NonceUse | null;
  /** The node did not take it because an earlier nonce is open: it is sent again when that one is used. */
  isAhead?: boolean;
  /**
   * The node did not take its last attempt because its pool has one that is not outbid: bytes that are not known here.
   */
  isOutbid?: boolean;
}

/** SQL that opens a transaction again: whatever was found where its nonce was used is found anew. */
export const OPEN_AGAIN = `status = 'open', mined_hash = null, was_refused = false, block_number = null, block_hash = null`;

/** SQL: whether the epoch of `transactions t` is over for good, so that its bytes have no effect any more. */
export const IS_VOID = `exists (
             select 1 from operators p where p.address = t.operator and p.epoch > t.epoch and p.raised_in is not null)`;

/**
 * SQL: whether bytes that were signed for `intents i` may still have an effect, in its transaction or in an earlier
 * one: a nonce that was given up as used elsewhere may be open again.
 */
export const IS_IN_FLIGHT = `exists (
          select 1 from transactions t where t.id = any(i.sent_in) and t.status in ('open', 'mined') and not ${IS_VOID})`;

/**
 * SQL: whether `intents i` was in a transaction whose nonce another program has used as it seems. A count may have been
 * wrong, and then bytes of it are mined yet; those of a buried signer, or of an epoch that is over, have no effect any
 * more.
 */
export const WAS_DISPLACED = `exists (
          select 1 from transactions t join lanes l on l.signer = t.signer
           where t.id = any(i.sent_in) and t.status = 'displaced' and not l.buried and not ${IS_VOID})`;

/** Columns of `transactions t`: the block that it is in. */
export const BLOCK = 't.block_number as "blockNumber", t.block_hash as "blockHash"';

export interface BlockRow {
  blockNumber: bigint | null;
  blockHash: Hex | null;
}

export const toBlock = ({ blockNumber, blockHash }: BlockRow): BlockId | null =>
  blockHash && { number: blockNumber!, hash: blockHash };

/** SQL: the hash of the attempt with the highest fees of a transaction. */
export const newestHash = (transactionId: string): string =>
  `(select a.hash from attempts a where a.transaction_id = ${transactionId} order by a.max_fee_per_gas desc limit 1)`;

/** Columns of `attempts a`: what it bids. */
export const FEES =
  'a.max_fee_per_gas as "maxFeePerGas", a.max_priority_fee_per_gas as "maxPriorityFeePerGas"';

export type FeesRow = Record<keyof Fees, string>;

export const toFees = ({ maxFeePerGas, maxPriorityFeePerGas }: FeesRow): Fees => ({
  maxFeePerGas: BigInt(maxFeePerGas),
  maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
});

/** Columns of `transactions t`: where it stands. */
const STATE = `t.id, t.nonce, t.mined_hash as "minedHash", ${BLOCK}, ${IS_VOID} as "isVoid"`;

interface StateRow extends BlockRow {
  id: bigint;
  nonce: bigint;
  minedHash: Hex | null;
  isVoid: boolean;
}

function toUse(row: StateRow): NonceUse | null {
  const block = toBlock(row);
  return block && { hash: row.minedHash, block };
}

/** Every transaction of the signer that is not final, with the attempts that are sent and its members, by nonce. */
export async function findUnfinished(db: Db, signer: Hex): Promise<Transaction[]> {
  const rows = await query<StateRow & Omit<Transaction, 'attempts' | 'members' | 'used'>>(
    db,
    `select ${STATE}, t.is_noop as "isNoop", t.gas_limit as "gasLimit", t.expected_gas::float8 as "expectedGas", t.operator, t.epoch,
            t.calldata
       from transactions t where signer = :signer and status in ('open', 'mined') order by nonce`,
    { signer: toBytes(signer) },
  );
  const ids = rows.map(({ id }) => id);
  const [attempts, members] = [await findAttempts(db, ids), await findMembers(db, ids)];
  return rows.map((row) => {
    const { minedHash: _minedHash, blockNumber: _blockNumber, blockHash: _blockHash, isVoid, ...own } = row;
    return {
      ...own,
      attempts: (isVoid && !row.isNoop ? undefined : attempts.get(row.id)) ?? [],
      members: members.get(row.id) ?? [],
      used: toUse(row),
    };
  });
}

/** Status of a transaction, and the block that it is in. */
interface TransactionState {
  id: bigint;
  nonce: bigint;
  status: TransactionStatus;
  used: NonceUse | null;
  /** Its epoch is over for good, so that its bytes have no effect any more. */
  isVoid: boolean;
}

/**
 * States of the unfinished transactions of a signer and of those with these ids, and the newest block that is settled.
 */
export async function findTransactionStates(
  db: Db,
  signer: Hex,
  ids: readonly bigint[],
): Promise<{ states: TransactionState[]; headNumber: bigint }> {
  const rows = await query<
    | (StateRow & { status: TransactionStatus; headNumber: bigint | null })
    | { id: null; headNumber: bigint | null }
  >(
    db,
    `select ${STATE}, t.status, r.head_number as "headNumber" from reader r left join lateral (
       select id, nonce, status, operator, epoch, mined_hash, block_number, block_hash from transactions
        where signer = :signer and status in ('open', 'mined')
       union
       select id, nonce, status, operator, epoch, mined_hash, block_number, block_hash from transactions
        where id = any(:ids::bigint[])) t on true`,
    { signer: toBytes(signer), ids: ids.map(String) },
  );
  return {
    headNumber: rows[0]?.headNumber ?? 0n,
    states: rows.flatMap((row) => {
      if (row.id === null) return [];
      const { id, nonce, status, isVoid } = row;
      return [{ id, nonce, status, used: toUse(row), isVoid }];
    }),
  };
}

/** Hashes of all attempts of the transactions that an intent is or was in. */
export async function findHashesOf(db: Db, intent: bigint): Promise<Hex[]> {
  const rows = await query<{ hash: Hex }>(
    db,
    `select a.hash from intents i join attempts a on a.transaction_id = any(i.sent_in) where i.number = :intent`,
    { intent: String(intent) },
  );
  return rows.map(({ hash }) => hash);
}

/** The highest fees that were ever signed for these nonces, by nonce, also in bytes that were given up since. */
export async function findHighestBids(
  db: Db,
  signer: Hex,
  nonces: readonly bigint[],
): Promise<Map<bigint, Fees>> {
  const rows = await query<FeesRow & { nonce: bigint }>(
    db,
    `select t.nonce, max(a.max_fee_per_gas) as "maxFeePerGas", max(a.max_priority_fee_per_gas) as "maxPriorityFeePerGas"
       from transactions t join attempts a on a.transaction_id = t.id
      where t.signer = :signer and t.nonce = any(:nonces::bigint[]) group by t.nonce`,
    { signer: toBytes(signer), nonces: nonces.map(String) },
  );
  return new Map(rows.map((row) => [row.nonce, toFees(row)]));
}

/**
 * The first of these nonces of which bytes were given up as used elsewhere, and may be mined yet; undefined for none.
 */
export async function findFirstDisplaced(
  db: Db,
  signer: Hex,
  { from, end }: { from: bigint; end: bigint },
): Promise<bigint | undefined> {
  const [row] = await query<{ nonce: bigint }>(
    db,
    `select nonce from transactions
      where signer = :signer and nonce >= :from and nonce < :end and status = 'displaced' order by nonce limit 1`,
    { signer: toBytes(signer), from: String(from), end: String(end) },
  );
  return row?.nonce;
}

/** Attempts by transaction, the highest fees last; without those of before its nonce, or its calls, were given up. */
async function findAttempts(db: Db, transactions: readonly bigint[]): Promise<Map<bigint, Attempt[]>> {
  const rows = await query<Omit<Attempt, keyof Fees> & FeesRow & { transactionId: bigint }>(
    db,
    `select a.transaction_id as "transactionId", a.hash, a.raw, ${FEES}
       from attempts a where transaction_id = any(:ids::bigint[]) and not given_up order by max_fee_per_gas`,
    { ids: transactions.map(String) },
  );
  return byTransaction(rows.map((row) => ({ ...row, ...toFees(row) })));
}

/** Members that each transaction decides on, in the order of the calls. */
async function findMembers(db: Db, transactions: readonly bigint[]): Promise<Map<bigint, Member[]>> {
  const rows = await query<Member & { transactionId: bigint }>(
    db,
    `select m.transaction_id as "transactionId", m.intent_number as number, i.contract, m.gas_cap as "gasCap"
       from transaction_intents m join intents i on i.number = m.intent_number
      where m.transaction_id = any(:ids::bigint[]) and i.decided_by = m.transaction_id order by m.transaction_id, m.position`,
    { ids: transactions.map(String) },
  );
  return byTransaction(rows);
}

function byTransaction<Row extends { transactionId: bigint }>(
  rows: readonly Row[],
): Map<bigint, Omit<Row, 'transactionId'>[]> {
  const groups = Map.groupBy(rows, ({ transactionId }) => transactionId);
  return new Map(
    [...groups].map(([id, group]) => [id, group.map(({ transactionId: _transactionId, ...own }) => own)]),
  );
}

/** The nonce below which transactions of a signer have lost theirs to another program, as it seems. */
export interface DisplacedBelow {
  signer: Hex;
  below: bigint;
}

/** Those of all signers that have one, but for bytes that have no effect any more. */
export async function findDisplacedNonces(db: Db): Promise<DisplacedBelow[]> {
  return query<DisplacedBelow>(
    db,
    `select t.signer, max(t.nonce) + 1 as below from transactions t join lanes l using (signer)
      where t.status = 'displaced' and not l.buried and not ${IS_VOID} group by t.signer`,
  );
}

/** Bytes of the calldata of each call, by intent, of the transactions that these attempts are of. */
export async function findCallSizes(
  db: Db,
  hashes: readonly Hex[],
): Promise<Map<Hex, ReadonlyMap<bigint, number>>> {
  const rows = await query<{ hash: Hex; number: bigint; bytes: number }>(
    db,
    `select a.hash, i.number, octet_length(i.calldata) as bytes
       from attempts a join transaction_intents m using (transaction_id) join intents i on i.number = m.intent_number
      where a.hash = any(:hashes::bytea[])`,
    { hashes: hashes.map(toBytes) },
  );
  const groups = Map.groupBy(rows, ({ hash }) => hash);
  return new Map(
    [...groups].map(([hash, calls]) => [hash, new Map(calls.map(({ number, bytes }) => [number, bytes]))]),
  );
}
