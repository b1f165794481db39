import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { CRASH_POINTS } from './lib/crash-points.ts';
import type { CrashPoint } from './lib/crash-points.ts';
import { splitHosts } from './lib/database-url.ts';
import {
  ConfigError,
  address,
  checkUrl,
  coins,
  databaseServers,
  hostName,
  integer,
  integers,
  list,
  oneOf,
  optionalInteger,
  origins,
  privateKey,
  text,
  url,
} from './lib/environment.ts';
import type { Environment } from './lib/environment.ts';
import { GAS_PER_DAY, MAX_GAS_PER_DAY, NETWORKS } from './lib/plans.ts';
import type { GasPerDay, Network } from './lib/plans.ts';

export { ConfigError };

/** What the environment asks for, checked. */
export interface Config {
  role: 'all' | 'api' | 'engine';
  host: string;
  port: number;
  dataDir: string;
  /** Null: embedded PostgreSQL. */
  databaseUrl: string | null;
  /** Null: the same as the database itself. */
  databaseDirectUrl: string | null;
  /** Connections of a process for everything but background work. */
  databasePoolSize: number;
  /** Whether a start may change the schema of the database. */
  migrateAtStart: boolean;
  /** Null: embedded Hardhat node, with everything fresh at each start. */
  rpcUrls: string[] | null;
  embeddedChainPort: number;
  /**
   * Whether no database is named, and no chain or no signer: the accounts are public, and the chain is embedded or a
   * local node.
   */
  developing: boolean;
  network: Network;
  /** Gas of a day (UTC) by plan, for what is not in quota and credits. */
  gasPerDay: GasPerDay;
  /** Where `GET /metrics` alone is served, to everybody who reaches it; null: on no port of its own. */
  metrics: { host: string; port: number } | null;
  /** Base URL of an OTLP/HTTP collector; null: no traces. */
  otlpEndpoint: string | null;
  /** What the traces call this service. */
  serviceName: string;
  publicUrl: string;
  /** Whether this service has pages that show transactions and addresses. */
  explorer: boolean;
  explorerUrl: string;
  /** Whose pictures the console shows for `ipfs://`, without a slash at its end; null: none. */
  ipfsGateway: string | null;
  bootstrapInvites: string[];
  /** Blocks after which a verdict is final; null: as the profile of the chain says. */
  confirmations: number | null;
  /** Name of a built-in profile of a chain, or a JSON file; null: that of the chain's id. */
  chainProfile: string | null;
  /** Milliseconds that a write waits for its verdict. */
  waitTimeoutMs: number;
  maxInFlight: number;
  /** Wei that all signers together may spend on a day; null: without a limit. */
  maxFeesPerDay: bigint | null;
  /** Days for which entries of the audit log are kept; null: for ever. */
  auditRetentionDays: number | null;
  /** Most intents in one transaction. */
  maxBatch: number;
  signerKeystores: string[];
  signerPasswordFile: string | null;
  signerKey: string | null;
  /** Ids, ARNs or aliases of AWS KMS keys. */
  signerKmsKeys: string[];
  /** EIP-55. Null: a public account when developing, or the first signer on a local chain. */
  operatorAdmin: string | null;
  /** An admin without code is meant, on a main network too. */
  operatorAdminIsEoa: boolean;
  /** Seconds between the two steps by which another admin takes over; null: as is usual on the chain. */
  operatorAdminDelay: number | null;
  /** Holds the keys under which the secrets of webhooks are encrypted; see webhook-keys.ts. */
  webhookSecretKeyFile: string | null;
  /** Whether webhooks may lead to addresses that are not public, and over http. */
  webhookAllowPrivate: boolean;
  logLevel: string;
  /** What the log calls this process. */
  replica: string;
  /** Where systemd waits to hear that the service is ready; null: nobody does. */
  notifySocket: string | null;
  /** Requests a minute and replica that one account may make. */
  requestsPerMinute: number;
  /** Likewise one address without a valid credential. */
  anonymousRequestsPerMinute: number;
  /** Pages a minute and replica, such as the explorer's, that one address may open. */
  pagesPerMinute: number;
  /** Wrong passwords an hour, over all replicas. */
  loginFailuresPerAccount: number;
  loginFailuresPerAddress: number;
  /** Passwords a minute and replica, right ones too. */
  passwordsPerAccount: number;
  passwordsPerAddress: number;
  /** Reverse proxies in front, whose `X-Forwarded-For` is believed. */
  trustProxy: number;
  /** Origins whose pages may read answers; `*` for all, none by default. */
  corsOrigins: string[];
  /** Where a test wants this process to be killed, and at which pass; null everywhere else. */
  crashAt: { point: CrashPoint; pass: number } | null;
  /** What becomes of answers that break openapi.yaml: 500 in tests; in production nobody compares them. */
  wrongAnswers: 'refused' | 'logged' | 'unchecked';
}

/** By `NODE_ENV`. */
const WRONG_ANSWERS: Record<string, Config['wrongAnswers']> = { test: 'refused', production: 'unchecked' };

/** As good as no limit, and still a 32-bit number in the database. */
const MANY = 1_000_000_000;
const MAX_ADMIN_DELAY_S = 31_536_000;
const LOCAL = '127.0.0.1';
/** What is said where a chain is named, no signer is, and the public accounts are out of the question. */
export const NO_SIGNER =
  'RPC_URL is set but no signer is: set SIGNER_KEYSTORE and SIGNER_PASSWORD_FILE, or SIGNER_KMS_KEY, or SIGNER_KEY';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** What a host and a port are in a URL: IPv6 stands in brackets there. */
export function originOf(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Reads the configuration. @throws ConfigError with a sentence that names the variable. */
export function readConfig(argv: readonly string[], env: Environment = process.env): Config {
  const host = hostName(env, 'HOST') ?? LOCAL;
  const port = integer(env, 'PORT', 3000, 0, 65_535);
  const publicUrl = readPublicUrl(env, host, port);
  const rpcUrls = list(env, 'RPC_URL');
  for (const value of rpcUrls) checkUrl('RPC_URL', value, ['http:', 'https:']);
  const databaseUrl = databaseServers(env, 'DATABASE_URL', splitHosts);
  if (databaseUrl && rpcUrls.length === 0) {
    throw new ConfigError(
      'DATABASE_URL is set but RPC_URL is not: the embedded chain starts empty each time and would not fit a database that lasts; set RPC_URL too',
    );
  }
  const network = oneOf(env, 'NETWORK', NETWORKS, 'test');
  const config: Omit<Config, 'developing'> = {
    role: readRole(argv),
    host,
    port,
    dataDir: text(env, 'DATA_DIR') ?? '.data',
    databaseUrl,
    databaseDirectUrl: readDirectUrl(env, databaseUrl),
    databasePoolSize: integer(env, 'DATABASE_POOL_SIZE', 10, 2, 1_000),
    migrateAtStart: oneOf(env, 'MIGRATE_AT_START', ['true', 'false'], 'true') === 'true',
    rpcUrls: rpcUrls.length > 0 ? rpcUrls : null,
    embeddedChainPort: integer(env, 'EMBEDDED_CHAIN_PORT', 8545, 0, 65_535),
    metrics: readMetrics(env),
    otlpEndpoint: url(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    serviceName: text(env, 'OTEL_SERVICE_NAME') ?? 'mintmark',
    network,
    gasPerDay: integers(env, 'GAS_PER_DAY', GAS_PER_DAY[network], MAX_GAS_PER_DAY),
    publicUrl,
    ...readExplorer(env, publicUrl),
    ipfsGateway: url(env, 'IPFS_GATEWAY', ['http:', 'https:'])?.replace(/\/+$/, '') ?? null,
    bootstrapInvites: list(env, 'BOOTSTRAP_INVITES'),
    confirmations: optionalInteger(env, 'CONFIRMATIONS', 1, 1_000),
    chainProfile: text(env, 'CHAIN_PROFILE') ?? null,
    waitTimeoutMs: integer(env, 'WAIT_TIMEOUT_MS', 60_000, 0, 600_000),
    maxInFlight: integer(env, 'MAX_IN_FLIGHT', 16, 1, 1_000),
    maxFeesPerDay: coins(env, 'MAX_FEES_PER_DAY'),
    maxBatch: integer(env, 'MAX_BATCH', 400, 1, 400),
    signerKeystores: list(env, 'SIGNER_KEYSTORE'),
    signerPasswordFile: text(env, 'SIGNER_PASSWORD_FILE') ?? null,
    signerKey: privateKey(env, 'SIGNER_KEY'),
    signerKmsKeys: list(env, 'SIGNER_KMS_KEY'),
    operatorAdmin: address(env, 'OPERATOR_ADMIN'),
    operatorAdminIsEoa: oneOf(env, 'OPERATOR_ADMIN_IS_EOA', ['true', 'false'], 'false') === 'true',
    auditRetentionDays: optionalInteger(env, 'AUDIT_RETENTION_DAYS', 1, 36_500),
    operatorAdminDelay: optionalInteger(env, 'OPERATOR_ADMIN_DELAY', 0, MAX_ADMIN_DELAY_S),
    webhookSecretKeyFile: text(env, 'WEBHOOK_SECRET_KEY_FILE') ?? null,
    webhookAllowPrivate: oneOf(env, 'WEBHOOK_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true',
    requestsPerMinute: integer(env, 'REQUESTS_PER_MINUTE', 60_000, 1, MANY),
    anonymousRequestsPerMinute: integer(env, 'ANONYMOUS_REQUESTS_PER_MINUTE', 12_000, 1, MANY),
    pagesPerMinute: integer(env, 'PAGES_PER_MINUTE', 300, 1, MANY),
    loginFailuresPerAccount: integer(env, 'LOGIN_FAILURES_PER_ACCOUNT', 100, 1, MANY),
    loginFailuresPerAddress: integer(env, 'LOGIN_FAILURES_PER_ADDRESS', 300, 1, MANY),
    passwordsPerAccount: integer(env, 'PASSWORDS_PER_ACCOUNT', 30, 1, MANY),
    passwordsPerAddress: integer(env, 'PASSWORDS_PER_ADDRESS', 120, 1, MANY),
    trustProxy: integer(env, 'TRUST_PROXY', 0, 0, 10),
    corsOrigins: origins(env, 'CORS_ORIGINS'),
    replica: text(env, 'REPLICA') ?? `${hostname()}:${process.pid}`,
    notifySocket: text(env, 'NOTIFY_SOCKET') ?? null,
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    crashAt: readCrash(env),
    wrongAnswers: WRONG_ANSWERS[text(env, 'NODE_ENV') ?? ''] ?? 'logged',
  };
  const hasSigner = checkSigners(config);
  return { ...config, developing: databaseUrl === null && (!config.rpcUrls || !hasSigner) };
}

/**
 * Reads the configuration for the operator's command line: that of the service in the same environment, which with a
 * database of its own does not need the keys of the signers. @throws ConfigError likewise.
 */
export function readAdminConfig(env: Environment = process.env): Config {
  return readConfig(text(env, 'DATABASE_URL') === undefined ? [] : ['--role', 'api'], env);
}

function readDirectUrl(env: Environment, databaseUrl: string | null): string | null {
  const directUrl = databaseServers(env, 'DATABASE_DIRECT_URL', splitHosts);
  if (!directUrl || databaseUrl) return directUrl;
  throw new ConfigError(
    'DATABASE_DIRECT_URL is set but DATABASE_URL is not: it is another way to the same database; set DATABASE_URL too',
  );
}

/** In production nobody reaches the service at its own host and port: links, cookies and origins would be wrong. */
function readPublicUrl(env: Environment, host: string, port: number): string {
  const given = url(env, 'PUBLIC_URL', ['http:', 'https:']);
  if (given === null && text(env, 'NODE_ENV') === 'production') {
    throw new ConfigError(
      'NODE_ENV is production but PUBLIC_URL is not set: set it to the URL at which clients reach the service, like https://mint.example',
    );
  }
  return (given ?? originOf(host, port)).replace(/\/+$/, '');
}

/** Every answer about a transaction links to an explorer: without pages here it has to be another one. */
function readExplorer(env: Environment, publicUrl: string): Pick<Config, 'explorer' | 'explorerUrl'> {
  const explorer = oneOf(env, 'EXPLORER', ['on', 'off'], 'on') === 'on';
  const given = url(env, 'EXPLORER_URL', ['http:', 'https:']);
  if (!explorer && given === null) {
    throw new ConfigError(
      'EXPLORER is off but EXPLORER_URL is not set: answers would link to pages that are not there; set EXPLORER_URL to an explorer of the chain',
    );
  }
  return { explorer, explorerUrl: (given ?? `${publicUrl}/explorer`).replace(/\/+$/, '') };
}

function readMetrics(env: Environment): Config['metrics'] {
  const host = hostName(env, 'METRICS_HOST');
  if (text(env, 'METRICS_PORT') !== undefined)
    return { host: host ?? LOCAL, port: integer(env, 'METRICS_PORT', 0, 0, 65_535) };
  if (host === undefined) return null;
  throw new ConfigError('METRICS_HOST is set but METRICS_PORT is not: set the port of the metrics too');
}

function readRole(argv: readonly string[]): Config['role'] {
  const [flag, value, ...rest] = argv;
  if (flag === undefined) return 'all';
  if (flag === '--role' && (value === 'api' || value === 'engine') && rest.length === 0) return value;
  throw new ConfigError(
    `Unknown option "${argv.join(' ')}": use --role api or --role engine, or none for both`,
  );
}

/** `CRASH_AT` is `point` or `point:pass`. */
function readCrash(env: Environment): Config['crashAt'] {
  const value = text(env, 'CRASH_AT');
  if (value === undefined) return null;
  if (text(env, 'NODE_ENV') === 'production') {
    throw new ConfigError('CRASH_AT makes the service kill itself, for tests; unset it in production');
  }
  const [name, pass = '1'] = value.split(':');
  const point = CRASH_POINTS.find((candidate) => candidate === name);
  if (!point || !/^[1-9]\d{0,5}$/.test(pass)) {
    throw new ConfigError(
      `CRASH_AT is "${value}", not one of ${CRASH_POINTS.join(', ')}, with ":" and a pass or without`,
    );
  }
  return { point, pass: Number(pass) };
}

/** Returns whether a signer is named. @throws ConfigError */
function checkSigners(config: Omit<Config, 'developing'>): boolean {
  if (config.role !== 'all' && (!config.rpcUrls || !config.databaseUrl)) {
    throw new ConfigError(
      '--role splits one service over several processes: set DATABASE_URL and RPC_URL for all of them',
    );
  }
  const { signerKeystores, signerPasswordFile, signerKey, signerKmsKeys } = config;
  if (signerKeystores.length > 0 && !signerPasswordFile) {
    throw new ConfigError(
      'SIGNER_KEYSTORE needs SIGNER_PASSWORD_FILE, the file that holds the password of the keystores',
    );
  }
  const given = Object.entries({
    SIGNER_KEYSTORE: signerKeystores.length > 0,
    SIGNER_KMS_KEY: signerKmsKeys.length > 0,
    SIGNER_KEY: signerKey !== null,
  }).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (given.length > 1) {
    throw new ConfigError(`${given.join(' and ')} are both set; keep one of them`);
  }
  // Without a database of its own it may be for a local node, which only the chain can tell.
  if (config.databaseUrl && config.role !== 'api' && given.length === 0) throw new ConfigError(NO_SIGNER);
  if (signerPasswordFile && signerKeystores.length === 0) {
    throw new ConfigError(
      'SIGNER_PASSWORD_FILE is set but SIGNER_KEYSTORE is not: it is the password of the keystores; set SIGNER_KEYSTORE too',
    );
  }
  return given.length > 0;
}
