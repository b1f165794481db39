import { chooseProfile } from '../start/chain-profile.ts';
import type { ChainProfile } from '../chain/profile.ts';
import { RpcUnreachable, createRpc } from '../chain/rpc/rpc.ts';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { createDb, query } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { withDefaults } from '../db/connection.ts';
import { checkConnectionLimit } from '../start/database-connections.ts';
import { databaseWords } from './database-error.ts';

/** The first one whose features we use. */
const MIN_POSTGRES = 15;

interface Rights {
  version: number;
  database: string;
  role: string;
  mayCreateSchemas: boolean;
  mayCreateTables: boolean;
  isUsed: boolean;
}

/**
 * Checks that an engine can prepare the database, which is empty, and work on it. @throws ConfigError with one sentence
 */
export async function checkDatabase(config: Pick<Config, 'databaseUrl' | 'databasePoolSize'>): Promise<void> {
  const url = config.databaseUrl!;
  await using db = createDb(url, 1);
  const rights = await readRights(db);
  const { database, role } = rights;
  if (rights.isUsed)
    throw new ConfigError(
      `The database ${database} belongs to a Mintmark already. Copy the files of its configuration from another machine, or name an empty database`,
    );
  if (rights.version < MIN_POSTGRES * 10_000)
    throw new ConfigError(
      `The server of DATABASE_URL is PostgreSQL ${Math.floor(rights.version / 10_000)}, and the service needs ${MIN_POSTGRES} or later`,
    );
  if (!rights.mayCreateSchemas || !rights.mayCreateTables)
    throw new ConfigError(
      `The database's user may not create ${rights.mayCreateSchemas ? 'tables' : 'schemas'}: ` +
        `run "alter database ${database} owner to ${role}" as superuser`,
    );
  const limits = { role: 'engine', databasePoolSize: config.databasePoolSize } as const;
  await checkConnectionLimit(limits, { db, url, directUrl: url, connections: withDefaults({}) });
}

async function readRights(db: Db): Promise<Rights> {
  try {
    const [row] = await query<Rights>(
      db,
      `select current_setting('server_version_num')::int as version,
              quote_ident(current_database()) as database, quote_ident(current_user) as role,
              has_database_privilege(current_database(), 'create') as "mayCreateSchemas",
              has_schema_privilege('public', 'create') as "mayCreateTables",
              to_regclass('public.migration_releases') is not null as "isUsed"`,
    );
    return row!;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `The database does not answer as it should: ${databaseWords(error) ?? (message || code)}; check DATABASE_URL`,
    );
  }
}

/**
 * Checks that every endpoint answers, and that all are of one chain.
 * @returns that chain. @throws ConfigError with a sentence that says which endpoint it is, without its URL: it holds a
 * key
 */
export async function checkEndpoints({
  rpcUrls,
}: Pick<Config, 'rpcUrls'>): Promise<{ chainId: bigint; profile: ChainProfile }> {
  const chains = await Promise.all(rpcUrls!.map((url, index) => readChain(url, index + 1)));
  const [first] = chains;
  const other = chains.findIndex(({ chainId }) => chainId !== first!.chainId);
  if (other > 0)
    throw new ConfigError(
      `Endpoint 1 of RPC_URL is on chain ${first!.chainId}, and endpoint ${other + 1} on chain ${chains[other]!.chainId}: all must be on one chain`,
    );
  return first!;
}

async function readChain(url: string, place: number): Promise<{ chainId: bigint; profile: ChainProfile }> {
  using rpc = createRpc([url]);
  try {
    const chainId = await rpc.identify();
    return {
      chainId,
      profile: await chooseProfile({ chainProfile: null, confirmations: null }, rpc, chainId),
    };
  } catch (error) {
    if (!(error instanceof RpcUnreachable)) throw error;
    throw new ConfigError(`Endpoint ${place} of RPC_URL does not answer: mend it, or leave it out`);
  }
}
