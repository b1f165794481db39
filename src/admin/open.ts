import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Chain } from '../chain/chain.ts';
import { OtherChain, RpcUnreachable, createRpc } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import type { Signer } from '../chain/signing/signer.ts';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import type { Operators } from '../lib/operators.ts';
import { askOf, createDb, query } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { SchemaRefused, checkSchema } from '../db/schema-range.ts';
import { databaseWords } from './database-error.ts';
import { embeddedAccounts } from '../embedded/accounts.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../embedded/postgres.ts';
import { checkChainIdentity, findOperators } from '../engine/index.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { chooseProfile } from '../start/chain-profile.ts';
import { loadSigners } from '../start/signers.ts';

/** The chain that the database belongs to. */
export interface AdministeredChain extends Pick<Chain, 'chainId' | 'rpc' | 'profile'>, Operators {}

/**
 * Database and chain of the service, for one command. When no service runs on an embedded database that lasts, it is
 * started for the command.
 */
export interface AdminContext extends AsyncDisposable {
  config: Config;
  db: Db;
  /** To the terminal's errors: what a command waits for. */
  log: Pick<Logger, 'warn'>;
  /** Not yet known to answer; `chain` asks. */
  rpc: Rpc;
  /** @throws Error with one sentence when the chain does not answer, or is not the database's. */
  chain(): Promise<AdministeredChain>;
  /** Signers of the configured keys; when developing the service's signer and the Operator's admin. */
  signers(): Promise<Signer[]>;
}

const POOL_SIZE = 2;

/**
 * Opens what the service of this configuration uses.
 * @param writeError writes to the terminal's errors
 * @throws Error with one sentence that says what is missing
 */
export async function openAdminContext(
  config: Config,
  writeError: (text: string) => void,
): Promise<AdminContext> {
  await using stack = new AsyncDisposableStack();
  const db = stack.use(createDb(await findDatabase(config, stack), POOL_SIZE));
  await checkDatabase(db, config);
  const rpc = stack.use(createRpc(config.rpcUrls ?? [`http://127.0.0.1:${config.embeddedChainPort}`]));
  let signers: Promise<Signer[]> | undefined;
  const opened = stack.move();
  return {
    config,
    db,
    log: createLogger('warn', { write: writeError }),
    rpc,
    chain: () => openChain(config, db, rpc),
    signers: () => (signers ??= findSigners(config, opened)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export async function findDatabase(
  { databaseUrl, dataDir, rpcUrls }: Config,
  stack: AsyncDisposableStack,
): Promise<string> {
  if (databaseUrl) return databaseUrl;
  const folder = path.resolve(dataDir, rpcUrls ? 'pg' : 'embedded');
  const url = await findEmbeddedPostgres(folder);
  if (url) return url;
  // Some commands are needed before the service can start, such as `signers grant`.
  if (rpcUrls && existsSync(folder)) {
    const postgres = stack.use(await startEmbeddedPostgres({ dataDir: folder, log: () => undefined }));
    return postgres.url;
  }
  throw new ConfigError(
    `No Mintmark runs on ${folder}: start it with "npm start" first, or set DATABASE_URL and RPC_URL`,
  );
}

/** PostgreSQL's code for a table that does not exist. */
const NO_SUCH_TABLE = '42P01';

async function checkDatabase(db: Db, { databaseUrl }: Config): Promise<void> {
  try {
    await query(db, 'select 1 from migration_releases limit 1');
    await checkSchema(askOf(db));
  } catch (error) {
    if (error instanceof SchemaRefused) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const words = databaseWords(error) ?? (message || code);
    if (code === NO_SUCH_TABLE)
      throw new ConfigError(
        `The database is empty: ${words}; start the service once, which prepares it, or check DATABASE_URL`,
      );
    throw new ConfigError(
      `The database cannot be read: ${words}; ` +
        (databaseUrl ? 'check DATABASE_URL' : 'wait until the service that starts here is ready'),
    );
  }
}

async function openChain(config: Config, db: Db, rpc: Rpc): Promise<AdministeredChain> {
  const { rpcUrls, embeddedChainPort } = config;
  if (!rpcUrls && embeddedChainPort === 0) {
    throw new ConfigError('EMBEDDED_CHAIN_PORT is 0, so that the port of the chain is unknown: set a port');
  }
  const [current, ...former] = await findOperators(db);
  if (!current)
    throw new ConfigError('The database belongs to no chain yet: start the service once, which ties them');
  try {
    const chainId = await rpc.identify();
    const profile = await chooseProfile(config, rpc, chainId);
    rpc.limitBatches(profile.maxBatchCalls);
    const formerOperators = former.map(({ operator }) => operator);
    await checkChainIdentity(db, rpc, chainId, current.operator);
    return { rpc, chainId, profile, operator: current.operator, formerOperators };
  } catch (error) {
    if (!(error instanceof RpcUnreachable) || error instanceof OtherChain) throw error;
    throw new ConfigError(
      rpcUrls
        ? 'The chain does not answer: check RPC_URL'
        : `No chain answers on port ${embeddedChainPort}: is EMBEDDED_CHAIN_PORT what it was for "npm start"?`,
    );
  }
}

async function findSigners(config: Config, stack: AsyncDisposableStack): Promise<Signer[]> {
  const signers = await loadSigners(config, createLogger('silent'), stack);
  return config.developing ? [...signers, createKeySigner(embeddedAccounts[1].privateKey)] : signers;
}
