import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

export type TokenType = 'ERC20' | 'ERC721';

/** A token as it was deployed; what can change is on the chain. */
export interface TokenRecord {
  /** Lower-case hex. */
  address: Hex;
  /** The number of the intent that deployed it; newer tokens have larger ones. */
  number: bigint;
  accountId: string;
  environment: 'live' | 'sandbox';
  type: TokenType;
  name: string;
  symbol: string;
  permissionless: boolean;
  createdAt: Date;
  /** E-mail of the account. */
  creator: string;
}

interface TokenRow {
  address: Buffer;
  intent_number: bigint;
  account_id: string;
  environment: 'live' | 'sandbox';
  type: TokenType;
  name: string;
  symbol: string;
  permissionless: boolean;
  created_at: Date;
  email: string;
}

const COLUMNS = `t.address, t.intent_number, t.account_id, t.environment, t.type, t.name, t.symbol, t.permissionless,
  t.created_at, a.email`;

const toRecord = (row: TokenRow): TokenRecord => ({
  address: toHex(row.address),
  number: row.intent_number,
  accountId: row.account_id,
  environment: row.environment,
  type: row.type,
  name: row.name,
  symbol: row.symbol,
  permissionless: row.permissionless,
  createdAt: row.created_at,
  creator: row.email,
});

/** What a deployment writes when it is accepted; nobody sees it before the chain has it. */
export interface NewToken {
  address: Hex;
  intentNumber: bigint;
  accountId: string;
  environment: 'live' | 'sandbox';
  type: TokenType;
  name: string;
  symbol: string;
  decimals: number | null;
  baseUri: string | null;
  permissionless: boolean;
  createdAt: Date;
}

export async function insertTokens(tx: Tx, tokens: readonly NewToken[]): Promise<void> {
  if (tokens.length === 0) return;
  await query(
    tx,
    `insert into tokens (address, intent_number, account_id, environment, type, name, symbol, decimals, base_uri,
                         permissionless, created_at)
     select * from unnest(?::bytea[], ?::bigint[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::smallint[],
                          ?::text[], ?::boolean[], ?::timestamptz[])`,
    [
      tokens.map(({ address }) => toBytes(address)),
      tokens.map(({ intentNumber }) => String(intentNumber)),
      tokens.map(({ accountId }) => accountId),
      tokens.map(({ environment }) => environment),
      tokens.map(({ type }) => type),
      tokens.map(({ name }) => name),
      tokens.map(({ symbol }) => symbol),
      tokens.map(({ decimals }) => decimals),
      tokens.map(({ baseUri }) => baseUri),
      tokens.map(({ permissionless }) => permissionless),
      tokens.map(({ createdAt }) => createdAt),
    ],
  );
}

/** The chain has these tokens now. */
export async function markDeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  await query(
    tx,
    'update tokens set deployed_at = now() where intent_number = any(?::bigint[]) and deployed_at is null',
    [intentNumbers.map(String)],
  );
}

/** A reorg took their deployment back: nobody sees them until the chain has them again. */
export async function hideDeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  await query(tx, 'update tokens set deployed_at = null where intent_number = any(?::bigint[])', [
    intentNumbers.map(String),
  ]);
}

/** Their deployment had no effect and never will: the address stays nobody's. */
export async function deleteUndeployed(tx: Tx, intentNumbers: readonly bigint[]): Promise<void> {
  await query(tx, 'delete from tokens where intent_number = any(?::bigint[]) and deployed_at is null', [
    intentNumbers.map(String),
  ]);
}

/** The deployed tokens at these addresses, whoever owns them. */
export async function findTokens(db: Db, addresses: readonly Hex[]): Promise<TokenRecord[]> {
  const rows = await query<TokenRow>(
    db,
    `select ${COLUMNS} from tokens t join accounts a on a.id = t.account_id
      where t.address = any(?::bytea[]) and t.deployed_at is not null`,
    [addresses.map(toBytes)],
  );
  return rows.map(toRecord);
}

/** A page of an account's deployed tokens, newest first, those with a smaller intent number than `before`. */
export async function listTokens(
  db: Db,
  owner: { accountId: string; environment: 'live' | 'sandbox' },
  page: { before: bigint | null; limit: number },
): Promise<TokenRecord[]> {
  const rows = await query<TokenRow>(
    db,
    `select ${COLUMNS} from tokens t join accounts a on a.id = t.account_id
      where t.account_id = ? and t.environment = ? and t.deployed_at is not null
        and t.intent_number < coalesce(?::bigint, 9223372036854775807)
      order by t.intent_number desc limit ?`,
    [owner.accountId, owner.environment, page.before === null ? null : String(page.before), page.limit],
  );
  return rows.map(toRecord);
}
