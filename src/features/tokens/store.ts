import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { pageBindings } from '../../db/page.ts';
import { anyNumber, table } from '../../db/table.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import { isSought } from '../token-search.ts';
import type { Deployment } from '../intent-kinds.ts';
import type { TokenType } from '../../chain/token-standards.ts';

/** A token as it was deployed; what can change is on the chain. */
export interface TokenRecord extends Owner {
  /** Lower-case hex. */
  address: Hex;
  /** The number of the intent that deployed it; newer tokens have larger ones. */
  number: bigint;
  type: TokenType;
  name: string;
  symbol: string;
  /** Null for ERC-721. */
  decimals: number | null;
  permissionless: boolean;
  /** Whether holdings can be moved without consent. */
  recoverable: boolean;
  createdAt: Date;
  /** E-mail of the account. */
  creator: string;
}

/** SQL of a TokenRecord. */
const TOKENS = `
  select t.address, t.intent_number as number, t.account_id as "accountId", t.environment, t.type, t.name, t.symbol, t.decimals,
         t.permissionless, t.recoverable, t.created_at as "createdAt", a.email as creator
    from tokens t join accounts a on a.id = t.account_id`;

/** What a deployment writes when it is accepted; hidden until the chain has it. */
export interface NewToken extends Owner, Deployment, Pick<TokenRecord, 'recoverable'> {
  address: Hex;
  intentNumber: bigint;
  createdAt: Date;
}

/** Writes the records of deployments; one that is there stays as it is. */
export async function insertTokens(tx: Tx, tokens: readonly NewToken[]): Promise<void> {
  if (tokens.length === 0) return;
  await query(
    tx,
    `insert into tokens (address, intent_number, account_id, environment, type, name, symbol, decimals, base_uri,
                         permissionless, recoverable, created_at)
     select * from unnest(:addresses::bytea[], :intentNumbers::bigint[], :accountIds::uuid[], :environments::text[],
                          :types::text[], :names::text[], :symbols::text[], :decimals::smallint[], :baseUris::text[],
                          :permissionless::boolean[], :recoverable::boolean[], :createdAts::timestamptz[])
     on conflict (intent_number) do nothing`,
    {
      addresses: tokens.map(({ address }) => toBytes(address)),
      intentNumbers: tokens.map(({ intentNumber }) => String(intentNumber)),
      accountIds: tokens.map(({ accountId }) => accountId),
      environments: tokens.map(({ environment }) => environment),
      types: tokens.map(({ type }) => type),
      names: tokens.map(({ name }) => name),
      symbols: tokens.map(({ symbol }) => symbol),
      decimals: tokens.map(({ decimals }) => decimals),
      baseUris: tokens.map(({ baseUri }) => baseUri),
      permissionless: tokens.map(({ permissionless }) => permissionless),
      recoverable: tokens.map(({ recoverable }) => recoverable),
      createdAts: tokens.map(({ createdAt }) => createdAt),
    },
  );
}

/** The chain has these tokens now. */
export async function noteDeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  if (intentNumbers.length === 0) return;
  await table(tx, 'tokens')
    .where('intent_number', '=', anyNumber(tx, intentNumbers))
    .where({ deployed_at: null })
    .update({ deployed_at: tx.fn.now() });
}

/** A reorg took their deployment back: they are hidden until the chain has them again. */
export async function hideDeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  if (intentNumbers.length === 0) return;
  await table(tx, 'tokens')
    .where('intent_number', '=', anyNumber(tx, intentNumbers))
    .update({ deployed_at: null });
}

/** Their deployment had no effect and never will. */
export async function deleteUndeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  if (intentNumbers.length === 0) return;
  await table(tx, 'tokens')
    .where('intent_number', '=', anyNumber(tx, intentNumbers))
    .where({ deployed_at: null })
    .delete();
}

/** The deployed tokens at these addresses, whoever owns them. */
export function findTokens(db: Db, addresses: readonly Hex[]): Promise<TokenRecord[]> {
  return query<TokenRecord>(
    db,
    `${TOKENS} where t.address = any(:addresses::bytea[]) and t.deployed_at is not null`,
    { addresses: addresses.map(toBytes) },
  );
}

/** Which tokens a page shows; null for all. */
export interface TokenPage extends Page {
  /** Of name, symbol or address. */
  search: string | null;
  type: TokenType | null;
}

/** A page of an account's deployed tokens, newest first. */
export function listTokens(
  db: Db,
  owner: Owner,
  { search, type, ...page }: TokenPage,
): Promise<TokenRecord[]> {
  return query<TokenRecord>(
    db,
    `${TOKENS}
      where t.account_id = :accountId and t.environment = :environment and t.deployed_at is not null
        and t.intent_number < :before::bigint ${type === null ? '' : 'and t.type = :type'} ${search === null ? '' : `and ${isSought(search)}`}
      order by t.intent_number desc limit :limit`,
    { ...owner, ...pageBindings(page), type, search },
  );
}

/** Those of these intents that deployed a token, or were to. */
export async function findDeployments(db: Db, numbers: readonly bigint[]): Promise<bigint[]> {
  const rows = await table(db, 'tokens')
    .where('intent_number', '=', anyNumber(db, numbers))
    .select<{ number: bigint }>({ number: 'intent_number' });
  return rows.map(({ number }) => number);
}
