import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { anyBytes, table } from '../../db/table.ts';
import { toBytes } from '../../lib/hex.ts';
import type { TokenType } from '../../chain/token-standards.ts';
import type { TransactionStatus } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * What of the database is public: only what is on the chain as well. No query here reads accounts, ids of
 * intents, errors, or anything of the sandbox.
 */

/** A token of this service, with what it takes to show an amount of it. */
export interface KnownToken {
  address: Hex;
  type: TokenType;
  name: string;
  symbol: string;
  /** 0 for ERC-721. */
  decimals: number;
}

/** The tokens among these addresses. */
export async function findKnownTokens(
  db: Db,
  addresses: readonly Hex[],
): Promise<ReadonlyMap<Hex, KnownToken>> {
  const rows = await table(db, 'tokens')
    .where('address', '=', anyBytes(db, addresses.map(toBytes)))
    .where({ environment: 'live' })
    .whereNotNull('deployed_at')
    .select('address', 'type', 'name', 'symbol', 'decimals');
  return new Map(rows.map((row) => [row.address, { ...row, decimals: row.decimals ?? 0 }]));
}

/** Calls of one kind to one contract, in one transaction. */
export interface CallGroup {
  kind: string;
  contract: Hex;
  count: number;
  /** Whom all of them mint to; null where they differ, or mint nothing. */
  to: Hex | null;
}

/** The calls of a transaction: its largest groups, and how many calls there are. */
export interface Contents {
  groups: readonly CallGroup[];
  calls: number;
}

/** What became of a transaction of this service, found by the hash of any of its attempts. */
export interface SentTransaction {
  signer: Hex;
  nonce: bigint;
  status: TransactionStatus;
  /** The attempt in force: the mined one, else the newest. */
  hash: Hex;
  createdAt: Date;
  contents: Contents;
}

type SentRow = Omit<SentTransaction, 'contents'> & { groups: (CallGroup & { calls: number })[] };

/** Groups of calls that are named. */
const MAX_GROUPS = 3;

const SENT = `t.signer, t.nonce, t.status, t.created_at as "createdAt", coalesce(t.mined_hash, (
    select a.hash from attempts a where a.transaction_id = t.id order by a.max_fee_per_gas desc limit 1)) as hash,
  (select coalesce(jsonb_agg(g), '[]') from (
    select i.kind, '0x' || encode(i.contract, 'hex') as contract, count(*)::int as count,
           case when count(distinct i.arguments ->> 'to') = 1 then min(i.arguments ->> 'to') end as "to",
           sum(count(*)) over ()::int as calls
      from intents i where i.number = any(t.intent_numbers) and i.decided_by = t.id group by i.kind, i.contract
     order by count(*) desc, i.kind, i.contract limit ${MAX_GROUPS}) g) as groups
  from transactions t`;

const toSent = ({ groups, ...row }: SentRow): SentTransaction => ({
  ...row,
  contents: { groups, calls: groups[0]?.calls ?? 0 },
});

export async function findAttempt(db: Db, hash: Hex): Promise<SentTransaction | undefined> {
  const [row] = await query<SentRow>(
    db,
    `select ${SENT} where t.id = (select transaction_id from attempts where hash = :hash)`,
    { hash: toBytes(hash) },
  );
  return row && toSent(row);
}

/** The contracts that transactions are said to call. */
export function contractsOf(sent: readonly SentTransaction[]): Hex[] {
  return [...new Set(sent.flatMap(({ contents }) => contents.groups.map(({ contract }) => contract)))];
}

/** The newest transactions, of one signer or of all. */
export async function listSent(db: Db, signer: Hex | null, limit: number): Promise<SentTransaction[]> {
  const rows = signer
    ? await query<SentRow>(db, `select ${SENT} where t.signer = :signer order by t.nonce desc limit :limit`, {
        signer: toBytes(signer),
        limit,
      })
    : await query<SentRow>(db, `select ${SENT} order by t.id desc limit :limit`, { limit });
  return rows.map(toSent);
}

/** The number of the last block up to which everything is settled for good; null before the first one. */
export async function readFinalBlock(db: Db): Promise<bigint | null> {
  const [row] = await table(db, 'reader').select('final_number');
  return row!.final_number;
}

/** The signers of this service, retiring ones included. */
export async function listSigners(db: Db): Promise<Hex[]> {
  const rows = await table(db, 'lanes').orderBy('signer').select('signer');
  return rows.map(({ signer }) => signer);
}

/** A call of this service to a contract, in a transaction. */
export interface Activity {
  kind: string;
  status: 'confirmed' | 'failed';
  hash: Hex;
  at: Date;
}

const SETTLED = ['confirmed', 'failed'] as const;

/**
 * The newest calls that have a verdict on the chain. Each status is read by itself, in the order of the index that
 * owners list the intents of a contract by: all of them are of the account that deployed it.
 */
export function listActivity(db: Db, contract: Hex, limit: number): Promise<Activity[]> {
  const parts = SETTLED.map(
    (status) => `(select number, kind, status, transaction_hash as hash, updated_at as at from intents
       where account_id = (select account_id from tokens where address = :contract) and contract = :contract
         and phase = '${status}' and transaction_hash is not null and environment is not distinct from 'live'
       order by -number limit :limit)`,
  );
  return query<Activity>(
    db,
    `select kind, status, hash, at from (${parts.join(' union all ')}) i order by number desc limit :limit`,
    { contract: toBytes(contract), limit },
  );
}

/** When a token of this service was asked for, and the transaction that deployed it. */
export async function findDeployment(db: Db, address: Hex): Promise<{ at: Date; hash: Hex } | undefined> {
  const [row] = await query<{ at: Date; hash: Hex }>(
    db,
    `select t.created_at as at, i.transaction_hash as hash from tokens t join intents i on i.number = t.intent_number
      where t.address = :address and t.environment = 'live' and t.deployed_at is not null and i.transaction_hash is not null`,
    { address: toBytes(address) },
  );
  return row;
}
