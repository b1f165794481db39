import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Environment } from '../../engine/index.ts';

/** Whose collections a caller sees: the two environments of an account never mix. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/** A collection, as lists and reads show it. */
export interface Collection {
  /** Lower-case hex. */
  address: Hex;
  /** The number of the intent that created it; newer collections have larger ones. */
  number: bigint;
  accountId: string;
  environment: Environment;
  name: string;
  symbol: string;
  minted: number;
  /** Null in the sandbox. */
  transactionHash: Hex | null;
  createdAt: Date;
}

interface CollectionRow {
  address: Buffer;
  intent_number: bigint;
  account_id: string;
  environment: Environment;
  name: string;
  symbol: string;
  minted: bigint;
  transaction_hash: Buffer | null;
  created_at: Date;
}

/** A read model over tokens, the intents that made them, and what was minted: the largest id counts sequential ones. */
const COLLECTIONS = `
  select t.address, t.intent_number, t.account_id, t.environment, t.name, t.symbol, t.created_at, i.transaction_hash,
         coalesce((select max(n.token_id) from nfts n where n.contract = t.address), 0) as minted
    from tokens t join intents i on i.number = t.intent_number
   where i.kind = 'create_collection' and t.deployed_at is not null`;

const toCollection = (row: CollectionRow): Collection => ({
  address: toHex(row.address),
  number: row.intent_number,
  accountId: row.account_id,
  environment: row.environment,
  name: row.name,
  symbol: row.symbol,
  minted: Number(row.minted),
  transactionHash: row.transaction_hash && toHex(row.transaction_hash),
  createdAt: row.created_at,
});

/** The collections at these addresses, whoever owns them. */
export async function findCollections(db: Db, addresses: readonly Hex[]): Promise<Collection[]> {
  const rows = await query<CollectionRow>(db, `${COLLECTIONS} and t.address = any(?::bytea[])`, [
    addresses.map(toBytes),
  ]);
  return rows.map(toCollection);
}

/** Those after `before`, newest first. */
export interface Page {
  before: bigint | null;
  limit: number;
}

const beforeOf = ({ before }: Page): string | null => (before === null ? null : String(before));

/** A page of an account's collections, newest first. */
export async function listCollections(db: Db, owner: Owner, page: Page): Promise<Collection[]> {
  const rows = await query<CollectionRow>(
    db,
    `${COLLECTIONS} and t.account_id = ? and t.environment = ?
        and t.intent_number < coalesce(?::bigint, 9223372036854775807)
      order by t.intent_number desc limit ?`,
    [owner.accountId, owner.environment, beforeOf(page), page.limit],
  );
  return rows.map(toCollection);
}

/** One token of an ERC-721 contract. */
export interface Nft {
  tokenId: bigint;
  recipient: Hex;
  /** Null in the sandbox. */
  transactionHash: Hex | null;
  createdAt: Date;
}

/** A page of what was minted in a contract, newest first. */
export async function listNfts(db: Db, contract: Hex, page: Page): Promise<Nft[]> {
  const rows = await query<{
    token_id: bigint;
    recipient: Buffer;
    transaction_hash: Buffer | null;
    created_at: Date;
  }>(
    db,
    `select token_id, recipient, transaction_hash, created_at from nfts
      where contract = ? and token_id < coalesce(?::bigint, 9223372036854775807)
      order by token_id desc limit ?`,
    [toBytes(contract), beforeOf(page), page.limit],
  );
  return rows.map((row) => ({
    tokenId: row.token_id,
    recipient: toHex(row.recipient),
    transactionHash: row.transaction_hash && toHex(row.transaction_hash),
    createdAt: row.created_at,
  }));
}

/** The first id that each of these intents minted, by intent number. */
export async function findFirstIds(db: Db, intentNumbers: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await query<{ intent_number: bigint; first: bigint }>(
    db,
    `select intent_number, min(token_id) as first from nfts where intent_number = any(?::bigint[])
      group by intent_number`,
    [intentNumbers.map(String)],
  );
  return new Map(rows.map(({ intent_number, first }) => [intent_number, first]));
}

/** A token that an intent minted. */
export interface MintedNft {
  contract: Hex;
  tokenId: bigint;
  recipient: Hex;
  intentNumber: bigint;
  transactionHash: Hex;
}

/**
 * Records what a transaction minted. Repeating it changes nothing; told again with other ids, after the transaction
 * moved to another block, the last word counts.
 */
export async function recordNfts(tx: Tx, nfts: readonly MintedNft[]): Promise<void> {
  if (nfts.length === 0) return;
  await query(
    tx,
    `with minted as (
       select * from unnest(?::bytea[], ?::bigint[], ?::bytea[], ?::bigint[], ?::bytea[])
         as m (contract, token_id, recipient, intent_number, transaction_hash)
     ), moved as (
       delete from nfts n
        where n.intent_number in (select intent_number from minted)
          and not exists (select 1 from minted m where m.contract = n.contract and m.token_id = n.token_id)
     )
     insert into nfts as n (contract, token_id, recipient, intent_number, transaction_hash)
     select contract, token_id, recipient, intent_number, transaction_hash from minted
     on conflict (contract, token_id) do update
        set recipient = excluded.recipient, intent_number = excluded.intent_number,
            transaction_hash = excluded.transaction_hash
      where (n.recipient, n.intent_number, n.transaction_hash)
            is distinct from (excluded.recipient, excluded.intent_number, excluded.transaction_hash)`,
    [
      nfts.map(({ contract }) => toBytes(contract)),
      nfts.map(({ tokenId }) => String(tokenId)),
      nfts.map(({ recipient }) => toBytes(recipient)),
      nfts.map(({ intentNumber }) => String(intentNumber)),
      nfts.map(({ transactionHash }) => toBytes(transactionHash)),
    ],
  );
}

/** Forgets what these intents minted: a reorg took it back. */
export async function deleteNfts(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  if (intentNumbers.length === 0) return;
  await query(tx, 'delete from nfts where intent_number = any(?::bigint[])', [intentNumbers.map(String)]);
}

/**
 * Mints in the sandbox: the next ids of each contract, in the order given. Only the owner of a contract mints in it, and
 * the caller holds the row of the owner's account, so that no id is given twice or left out.
 */
export async function insertSandboxNfts(
  tx: Tx,
  nfts: readonly Pick<MintedNft, 'contract' | 'recipient' | 'intentNumber'>[],
): Promise<void> {
  if (nfts.length === 0) return;
  await query(
    tx,
    `insert into nfts (contract, token_id, recipient, intent_number)
     select m.contract,
            coalesce((select max(n.token_id) from nfts n where n.contract = m.contract), 0)
              + row_number() over (partition by m.contract order by m.place),
            m.recipient, m.intent_number
       from unnest(?::bytea[], ?::bytea[], ?::bigint[]) with ordinality
         as m (contract, recipient, intent_number, place)`,
    [
      nfts.map(({ contract }) => toBytes(contract)),
      nfts.map(({ recipient }) => toBytes(recipient)),
      nfts.map(({ intentNumber }) => String(intentNumber)),
    ],
  );
}
