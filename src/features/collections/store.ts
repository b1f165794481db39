import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { pageBindings } from '../../db/page.ts';
import { anyBytes, anyNumber, table } from '../../db/table.ts';
import type { Columns } from '../../db/table.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import { MAX_POSITION } from '../../lib/page.ts';
import type { Page } from '../../lib/page.ts';
import { isSought } from '../token-search.ts';

/** A collection, as lists and reads show it. */
export interface Collection extends Owner {
  /** Lower-case hex. */
  address: Hex;
  /** The number of the intent that created it; newer collections have larger ones. */
  number: bigint;
  name: string;
  symbol: string;
  minted: number;
  /** Null in the sandbox. */
  transactionHash: Hex | null;
  createdAt: Date;
}

/** A read model over tokens, the intents that made them, and what was minted: the largest id counts sequential ones. */
const COLLECTIONS = `
  select t.address, t.intent_number as number, t.account_id as "accountId", t.environment, t.name, t.symbol, t.created_at as "createdAt",
         i.transaction_hash as "transactionHash",
         coalesce((select max(n.token_id) from nfts n where n.contract = t.address), 0)::float8 as minted
    from tokens t join intents i on i.number = t.intent_number
   where i.kind = 'create_collection' and t.deployed_at is not null`;

/** The collections at these addresses, whoever owns them. */
export function findCollections(db: Db, addresses: readonly Hex[]): Promise<Collection[]> {
  return query<Collection>(db, `${COLLECTIONS} and t.address = any(:addresses::bytea[])`, {
    addresses: addresses.map(toBytes),
  });
}

/** Those of these addresses at which there is a collection, whoever owns it. */
export async function findAddresses(tx: Tx, addresses: readonly Hex[]): Promise<Set<Hex>> {
  if (addresses.length === 0) return new Set();
  const rows = await table(tx, 'tokens')
    .where('address', '=', anyBytes(tx, [...new Set(addresses)].map(toBytes)))
    .select('address');
  return new Set(rows.map(({ address }) => address));
}

/** Which collections a page shows; null for all. */
export interface CollectionPage extends Page {
  /** Of name, symbol or address. */
  search: string | null;
}

/** A page of an account's collections, newest first. */
export function listCollections(
  db: Db,
  owner: Owner,
  { search, ...page }: CollectionPage,
): Promise<Collection[]> {
  return query<Collection>(
    db,
    // By the index of intents that are no mints: however many other tokens there are, none of them is read.
    `${COLLECTIONS} and i.account_id = :accountId and i.environment = :environment
        and -i.number > -(:before::bigint) ${search === null ? '' : `and ${isSought(search)}`}
      order by -i.number limit :limit`,
    { ...owner, ...pageBindings(page), search },
  );
}

/** One token of an ERC-721 contract. */
export interface Nft {
  tokenId: bigint;
  recipient: Hex;
  /** Null in the sandbox. */
  transactionHash: Hex | null;
  createdAt: Date;
}

const NFT_COLUMNS: Columns<'nfts', Nft> = {
  tokenId: 'token_id',
  recipient: 'recipient',
  transactionHash: 'transaction_hash',
  createdAt: 'created_at',
};

/** A page of what was minted in a contract, newest first. */
export async function listNfts(db: Db, contract: Hex, page: Page): Promise<Nft[]> {
  return table(db, 'nfts')
    .where({ contract: toBytes(contract) })
    .where('token_id', '<', page.before ?? MAX_POSITION)
    .orderBy('token_id', 'desc')
    .limit(page.limit)
    .select<Nft>(NFT_COLUMNS);
}

/** The first id that each of these intents minted, by intent number. */
export async function findFirstIds(
  db: Db | Tx,
  intentNumbers: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  if (intentNumbers.length === 0) return new Map();
  const rows = await query<{ number: bigint; first: bigint }>(
    db,
    `select intent_number as number, min(token_id) as first from nfts where intent_number = any(:intentNumbers::bigint[])
      group by intent_number`,
    { intentNumbers: intentNumbers.map(String) },
  );
  return new Map(rows.map(({ number, first }) => [number, first]));
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
 * Records what a transaction minted. Repeating it changes nothing. With other ids, since a reorg put the transaction
 * into another block, the newest ones replace those before.
 */
export async function recordNfts(tx: Tx, nfts: readonly MintedNft[]): Promise<void> {
  if (nfts.length === 0) return;
  await query(
    tx,
    `with minted as (
       select * from unnest(:contracts::bytea[], :tokenIds::bigint[], :recipients::bytea[], :intentNumbers::bigint[],
                            :hashes::bytea[])
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
    {
      contracts: nfts.map(({ contract }) => toBytes(contract)),
      tokenIds: nfts.map(({ tokenId }) => String(tokenId)),
      recipients: nfts.map(({ recipient }) => toBytes(recipient)),
      intentNumbers: nfts.map(({ intentNumber }) => String(intentNumber)),
      hashes: nfts.map(({ transactionHash }) => toBytes(transactionHash)),
    },
  );
}

/** Deletes what these intents minted: a reorg took it back. */
export async function deleteNfts(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  if (intentNumbers.length === 0) return;
  await table(tx, 'nfts').where('intent_number', '=', anyNumber(tx, intentNumbers)).delete();
}

/**
 * Mints in the sandbox: the next ids of each contract, in the order given. Only the owner of a contract mints in it,
 * and the caller holds the row of the owner's account, so that no id is given twice or left out.
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
       from unnest(:contracts::bytea[], :recipients::bytea[], :intentNumbers::bigint[]) with ordinality
         as m (contract, recipient, intent_number, place)`,
    {
      contracts: nfts.map(({ contract }) => toBytes(contract)),
      recipients: nfts.map(({ recipient }) => toBytes(recipient)),
      intentNumbers: nfts.map(({ intentNumber }) => String(intentNumber)),
    },
  );
}
