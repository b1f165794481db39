import { randomUUID } from 'node:crypto';
import path from 'node:path';
import pino from 'pino';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { readConfig } from '../../src/config.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Logger } from '../../src/telemetry/logger.ts';
import type { ServiceOptions } from '../../src/start/compose.ts';
import { startService } from '../../src/start/service.ts';
import type { Service } from '../../src/start/service.ts';
import { startAnvil } from './anvil.ts';
import { recordAnswers } from './contract-coverage.ts';
import { issuedCookie } from './credentials.ts';
import { PATIENT_TIMEOUTS, createTestDatabase } from './database.ts';

const MAX_ERRORS = 5;

export interface TestAccount {
  id: string;
  email: string;
  password: string;
  /** Value of the session cookie. */
  cookie: string;
  token: string;
  /** Calls with the access token. */
  api: MintmarkClient;
}

/** A node with its chain. */
interface TestChain extends AsyncDisposable {
  url: string;
  stop(): Promise<void>;
}

export interface TestChainOptions {
  /** `anvil` (the default) starts and mines faster; `hardhat` is the chain that the service embeds. */
  node?: 'anvil' | 'hardhat';
  /** Seconds between blocks, fractions allowed; without it every transaction makes its block at once. */
  blockTimeSeconds?: number;
  /** Of anvil, 31,337 otherwise: with another one it is no local chain, and takes CHAIN_PROFILE and OPERATOR_ADMIN. */
  chainId?: number;
  /** URL of a node that the caller starts and stops. */
  rpcUrl?: string;
}

export interface TestService extends AsyncDisposable {
  url: string;
  chain: TestChain;
  databaseUrl: string;
  service: Service;
  /** Variables that start another process of the same service. */
  environment: Record<string, string>;
  /** The newest errors that the service has logged, as JSON lines, whether it shows them or not. */
  errors: string[];
  /** A client without a credential. */
  anonymous: MintmarkClient;
  /** Registers an account with an invite of its own, and signs it in. */
  register(): Promise<TestAccount>;
  /** Stops and starts the service over the same database and chain. */
  restart(variables?: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** A hundredth of a millisecond; where hashing is the subject, HASH_COST. */
const CHEAP_HASH = { memoryCost: 8, timeCost: 1 };
/** Where a database's silence is the subject, the test has timings of its own. */
const PATIENT = { ...PATIENT_TIMEOUTS, maxSilenceMs: 300_000 };

/**
 * Starts the service with a new database, and a new node unless `rpcUrl` names one. The service's options apply to each
 * of its starts.
 */
export async function startTestService(
  variables: Record<string, string> = {},
  {
    timings,
    databaseTimings = {},
    drain = { idleMs: 50 },
    passwordCost = CHEAP_HASH,
    maxStallMs,
    ...chainOptions
  }: TestChainOptions & ServiceOptions = {},
): Promise<TestService> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await createTestDatabase());
  const chain = opening.use(await openTestChain(chainOptions));
  const port = await findFreePort();
  opening.defer(recordAnswers(port));
  const environment: Record<string, string> = {
    // An answer that breaks the contract is 500.
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    RPC_URL: chain.url,
    SIGNER_KEY: embeddedAccounts[0].privateKey,
    PORT: String(port),
    CONFIRMATIONS: '1',
    WEBHOOK_SECRET_KEY_FILE: path.join(import.meta.dirname, 'webhook.key'),
    // Tests register and sign in more often than people do.
    PASSWORDS_PER_ACCOUNT: '1000000',
    PASSWORDS_PER_ADDRESS: '1000000',
    // Many tests bring about errors on purpose; TEST_LOG_LEVEL=error shows them.
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'fatal',
    ...variables,
  };
  const errors: string[] = [];
  const start = (further: Record<string, string> = {}): Promise<Service> => {
    const config = readConfig([], { ...environment, ...further });
    return startService(config, createTestLogger(config.logLevel, errors), {
      ...(timings && { timings }),
      databaseTimings: { ...PATIENT, ...databaseTimings },
      drain,
      passwordCost,
      ...(maxStallMs !== undefined && { maxStallMs }),
    });
  };
  const stop = (): Promise<void> => opened.disposeAsync();
  const test: TestService = {
    url: `http://127.0.0.1:${port}`,
    chain,
    databaseUrl: database.url,
    service: await start(),
    environment,
    errors,
    anonymous: createMintmarkClient({ baseUrl: `http://127.0.0.1:${port}` }),
    register: () => register(test),
    restart: async (further) => {
      await test.service.stop();
      test.service = await start(further);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
  opening.defer(() => test.service.stop());
  const opened = opening.move();
  return test;
}

/** Logs as the level says, and keeps the newest errors. */
function createTestLogger(level: string, errors: string[]): Logger {
  const keep = (line: string): void => {
    errors.push(line);
    if (errors.length > MAX_ERRORS) errors.shift();
  };
  const isShown = level !== 'silent';
  const shown = isShown ? [{ level: level as pino.Level, stream: process.stdout }] : [];
  const streams = pino.multistream([...shown, { level: 'error', stream: { write: keep } }]);
  return createLogger(isShown && level !== 'fatal' ? level : 'error', streams);
}

async function openTestChain({ node = 'anvil', rpcUrl, ...options }: TestChainOptions): Promise<TestChain> {
  const stop = async (): Promise<void> => undefined;
  if (rpcUrl !== undefined) return { url: rpcUrl, stop, [Symbol.asyncDispose]: stop };
  if (node === 'anvil') return startAnvil(options);
  return startEmbeddedChain({ port: 0, log: () => undefined, ...options });
}

async function register({ url, service, anonymous, errors }: TestService): Promise<TestAccount> {
  const inviteCode = randomUUID();
  await service.context.accounts.ensureInvites([inviteCode]);
  const credentials = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const { data, response } = await anonymous.POST('/v1/auth/register', {
    body: { ...credentials, inviteCode },
  });
  const { data: signedIn } = await anonymous.POST('/auth/signin', { body: credentials });
  if (!data || !signedIn) throw new Error(`cannot register: ${response.status}\n${errors.join('')}`);
  const cookie = issuedCookie(response);
  const { token } = signedIn;
  return { id: data.id, ...credentials, cookie, token, api: createMintmarkClient({ baseUrl: url, token }) };
}
