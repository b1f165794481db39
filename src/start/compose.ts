import path from 'node:path';
import { prepareSystem } from '../chain/system/prepare.ts';
import { RpcUnreachable, createRpc } from '../chain/rpc/rpc.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import type { Signer } from '../chain/signing/signer.ts';
import { describeSystem } from '../chain/system/system-contracts.ts';
import type { System } from '../chain/system/system-contracts.ts';
import { createBlockCache } from '../chain/rpc/block-cache.ts';
import type { BlockCache } from '../chain/rpc/block-cache.ts';
import { runBackground } from './jobs.ts';
import type { Hex } from '../lib/hex.ts';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { createCrash } from '../lib/crash-points.ts';
import { cleanUp } from '../db/clean-up.ts';
import { createDb } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { deleteOldRecords } from '../db/idempotency.ts';
import { freeJobs } from '../db/jobs.ts';
import { migrate } from '../db/migrate.ts';
import { createNotifications } from '../db/notifications.ts';
import { embeddedAccounts } from '../embedded/accounts.ts';
import { startEmbeddedChain } from '../embedded/chain.ts';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import {
  checkChainIdentity,
  checkIntentNumbers,
  createEngine,
  defaultTimings,
  markDone,
} from '../engine/index.ts';
import type { Engine, LaneTimings } from '../engine/index.ts';
import { createLoginThrottle, deleteOldAttempts } from '../features/accounts/login-throttle.ts';
import { createAccountService } from '../features/accounts/service.ts';
import type { AccountService } from '../features/accounts/service.ts';
import { createCollectionService } from '../features/collections/service.ts';
import type { CollectionService } from '../features/collections/service.ts';
import { mintInSandbox, settleMints } from '../features/collections/intents.ts';
import { presentIntent } from '../features/intents/present.ts';
import {
  createAuthenticate,
  createKeyService,
  issueAccessToken,
  startSession,
} from '../features/keys/service.ts';
import type { KeyService } from '../features/keys/service.ts';
import { deleteExpired, revokeCredential, revokeOthers } from '../features/keys/store.ts';
import { createMetadataService } from '../features/metadata/service.ts';
import type { MetadataService } from '../features/metadata/service.ts';
import { createMetrics } from '../features/metrics/pages.ts';
import type { Metrics } from '../features/metrics/pages.ts';
import { createMeteringService, hold, recordHolds, settleHolds } from '../features/metering/service.ts';
import type { MeteringService } from '../features/metering/service.ts';
import { createTokenService } from '../features/tokens/service.ts';
import type { TokenService } from '../features/tokens/service.ts';
import { recordDeployments, settleDeployments } from '../features/tokens/intents.ts';
import { createDeliverer } from '../features/webhooks/deliver.ts';
import { createSecretBox } from '../features/webhooks/secret.ts';
import type { SecretBox } from '../features/webhooks/secret.ts';
import { createSend } from '../features/webhooks/send.ts';
import { createWebhookService } from '../features/webhooks/service.ts';
import type { WebhookService } from '../features/webhooks/service.ts';
import { createWebhookOutbox } from '../features/webhooks/intents.ts';
import { DELIVER, deleteOldDeliveries, deleteOldWebhooks } from '../features/webhooks/store.ts';
import type { Authenticate } from '../http/auth.ts';
import type { Logger } from '../telemetry/logger.ts';
import { combineObservers, noopTracer } from '../telemetry/observe.ts';
import type { Observe, Tracer } from '../telemetry/observe.ts';
import { createReadiness } from './readiness.ts';
import type { Readiness } from './readiness.ts';
import { loadSigners } from './signers.ts';
import { loadWebhookKeys } from './webhook-keys.ts';

/** Everything that is open, and what the handlers are made of. */
export interface Context {
  db: Db;
  rpc: Rpc;
  blockCache: BlockCache;
  chainId: bigint;
  system: System;
  engine: Engine;
  authenticate: Authenticate;
  accounts: AccountService;
  metering: MeteringService;
  tokens: TokenService;
  metadata: MetadataService;
  keys: KeyService;
  collections: CollectionService;
  webhooks: WebhookService;
  explorerUrl(transactionHash: string): string;
  /** Where the chain answers, for people. */
  chainUrl: string;
  readiness: Readiness;
  metrics: Metrics;
  observe: Observe;
  /** One sentence when an embedded part ends by itself. */
  broken: Promise<string>;
  /** Closes everything, last opened first. */
  dispose(): Promise<void>;
}

/** What no configuration says. */
export interface ServiceOptions {
  /** Clocks of the engine that are not the default ones. */
  timings?: Partial<LaneTimings>;
}

type Disposers = (() => Promise<unknown> | void)[];

const POOL_SIZE = 10;
/** What a collection is among tokens: its JSON comes from the descriptor, and anybody may receive. */
const COLLECTION = { type: 'ERC721', decimals: null, baseUri: null, permissionless: true } as const;
/** Chain ids of local development nodes (Hardhat, Ganache): the first signer may be the Operator's admin. */
const LOCAL_CHAINS = [31_337n, 1_337n];

/** Opens database and chain, prepares both, and puts the service together. @throws Error with one sentence. */
export async function createContext(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<Context> {
  const disposers: Disposers = [];
  const dispose = async (): Promise<void> => {
    for (const close of disposers.splice(0).reverse()) await close();
  };
  try {
    return await open(config, log, options, disposers, dispose);
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function open(
  config: Config,
  log: Logger,
  options: ServiceOptions,
  disposers: Disposers,
  dispose: () => Promise<void>,
): Promise<Context> {
  const metrics = createMetrics();
  const observe = combineObservers(metrics.counts, await openTracing(config, log, disposers));
  const [database, chain] = await Promise.all([
    openDatabase(config, log, disposers),
    openChain(config, log, disposers, observe),
  ]);
  const { db, notifications } = database;
  const { rpc, chainId } = chain;
  const signers = config.role === 'api' ? [] : await loadSigners(config, log, disposers);
  const webhookKeys = await loadWebhookKeys(config);
  const box = webhookKeys.length > 0 ? createSecretBox(webhookKeys) : null;
  const admin = adminOf(config, chainId, signers);
  const system = describeSystem(admin.address);
  // Before anything is sent: and a start that has to wait for the admin leaves the command line a chain to work on.
  await checkChainIdentity(db, rpc, chainId, system.operator);
  if (signers.length > 0) {
    await prepareSystem({ rpc, log, chainId, system, signers, payer: signers[0]!, admin: admin.signer });
  }
  await checkIntentNumbers(db, rpc, system.operator);
  await markDone(db, rpc, system.operator);

  const blockCache = createBlockCache(rpc);
  const explorerUrl = (hash: string): string => `${config.explorerUrl}/tx/${hash}`;
  const outbox = createWebhookOutbox((intent) => presentIntent(intent, explorerUrl));
  const engine = createEngine({
    db,
    notifications,
    rpc,
    log,
    config: {
      chainId,
      operator: system.operator,
      factories: [system.tokenFactory, system.collectionFactory],
      confirmations: config.confirmations,
      maxInFlight: config.maxInFlight,
      maxBatch: config.maxBatch,
      observe,
      timings: { ...defaultTimings, ...options.timings },
      reach: config.crashAt ? createCrash(config.crashAt.point, config.crashAt.pass) : () => undefined,
    },
    waitTimeoutMs: config.waitTimeoutMs,
    hold,
    effects: [
      { accepted: recordDeployments, settled: settleDeployments },
      { accepted: mintInSandbox, settled: settleMints },
      { accepted: recordHolds, settled: settleHolds },
      { accepted: outbox.tellAccepted, settled: outbox.tellVerdicts },
    ],
    onSettled: blockCache.expectNewBlock,
  });
  disposers.push(() => engine.stop());
  engine.run(signers);

  if (config.role !== 'api')
    startBackground({ config, log, db, box, observe, directUrl: database.directUrl }, disposers);

  const accounts = createAccountService(
    db,
    { startSession, issueAccessToken, revokeCredential, revokeOthers },
    createLoginThrottle(db, {
      perAccount: config.loginFailuresPerAccount,
      perAddress: config.loginFailuresPerAddress,
    }),
  );
  await accounts.ensureInvites(config.bootstrapInvites);
  const walletOf = async (accountId: string): Promise<Hex | null> =>
    (await accounts.read(accountId)).walletAddress;
  const tokens = createTokenService({ db, engine, rpc, blockCache, system, walletOf });
  const metering = createMeteringService(db, config.network);
  const collections = createCollectionService({
    db,
    engine,
    prices: metering.prices,
    planCollection: (owner, { name, symbol }) =>
      tokens.planDeployment(owner, { ...COLLECTION, name, symbol }),
    spent: metering.spent,
    creditsLeft: async (accountId) => (await metering.usage(accountId, 'credits')).remaining,
  });
  const readiness = createReadiness({ rpc, chainId, engine, maxQueueMs: config.readyMaxQueueMs });
  metrics.watch({ db, rpc, readiness });
  return {
    db,
    rpc,
    blockCache,
    chainId,
    system,
    engine,
    authenticate: createAuthenticate(db),
    accounts,
    metering,
    keys: createKeyService(db),
    collections,
    tokens,
    metadata: createMetadataService({ engine, blockCache, findOwn: tokens.findOwn, findAny: tokens.findAny }),
    webhooks: createWebhookService({ db, box, allowPrivate: config.webhookAllowPrivate }),
    explorerUrl,
    chainUrl: chain.url,
    readiness,
    metrics,
    observe,
    broken: Promise.race([database.ended, chain.ended]),
    dispose,
  };
}

/** Everything whose time comes to an end, each with the function that deletes it. */
const OLD_ROWS = [
  deleteExpired,
  deleteOldRecords,
  deleteOldAttempts,
  deleteOldDeliveries,
  deleteOldWebhooks,
] as const;

/** Delivers messages to webhooks, and cleans up. */
function startBackground(
  {
    config,
    log,
    db,
    box,
    observe,
    directUrl,
  }: {
    config: Config;
    log: Logger;
    db: Db;
    box: SecretBox | null;
    observe: Observe;
    directUrl: string;
  },
  disposers: Disposers,
): void {
  const send = createSend({ allowPrivate: config.webhookAllowPrivate });
  const deliverer = createDeliverer({ db, box, send, log, observe });
  const background = runBackground(directUrl, log, {
    tasks: {
      [DELIVER]: (payload, signal) => deliverer.deliver((payload as { delivery: string }).delivery, signal),
      'clean-up': async (_payload, signal) => {
        const rows = await cleanUp(db, OLD_ROWS, signal);
        if (rows > 0) log.info({ rows }, 'deleted what has expired');
      },
      'free-jobs': () => freeJobs(db),
    },
    crontab: '*/5 * * * * clean-up\n* * * * * free-jobs',
    forbiddenFlags: deliverer.busyAccounts,
  });
  disposers.push(() => background.stop());
}

const never = new Promise<string>(() => undefined);

/** Nothing of OpenTelemetry is loaded but with an endpoint. */
async function openTracing(config: Config, log: Logger, disposers: Disposers): Promise<Tracer> {
  if (config.otlpEndpoint === null) return noopTracer;
  const { createTracing } = await import('../telemetry/tracing.ts');
  const tracing = createTracing({ endpoint: config.otlpEndpoint, serviceName: config.serviceName }, log);
  disposers.push(tracing.close);
  return tracing;
}

async function openDatabase(config: Config, log: Logger, disposers: Disposers) {
  let url = config.databaseUrl;
  let ended = never;
  if (!url) {
    const fresh = config.rpcUrls === null;
    const postgres = await startEmbeddedPostgres({
      dataDir: path.resolve(config.dataDir, fresh ? 'embedded' : 'pg'),
      log: (message) => log.info(message),
      data: fresh ? 'throwaway' : 'lasting',
    });
    disposers.push(() => postgres.stop());
    ({ url, ended } = postgres);
  }
  const db = createDb(url, POOL_SIZE);
  disposers.push(() => db.destroy());
  try {
    await migrate(db);
    const directUrl = config.databaseDirectUrl ?? url;
    const notifications = await createNotifications(directUrl, log);
    disposers.push(() => notifications.close());
    return { db, notifications, directUrl, ended };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new ConfigError(`The database does not answer as it should: ${reason}; check DATABASE_URL`);
  }
}

async function openChain(config: Config, log: Logger, disposers: Disposers, observe: Observe) {
  let urls = config.rpcUrls;
  let ended = never;
  if (!urls) {
    const chain = await startEmbeddedChain({
      port: config.embeddedChainPort,
      log: (message) => log.debug(message),
    });
    disposers.push(() => chain.stop());
    urls = [chain.url];
    ended = chain.ended;
  }
  const rpc = createRpc(urls, { observe });
  disposers.push(() => rpc.close());
  try {
    return { rpc, chainId: await rpc.identify(), url: urls[0]!, ended };
  } catch (error) {
    if (!(error instanceof RpcUnreachable)) throw error;
    throw new ConfigError('The chain does not answer: check RPC_URL');
  }
}

/** The Operator's admin, and its signer where this process has the key. */
function adminOf(
  config: Config,
  chainId: bigint,
  signers: readonly Signer[],
): { address: string; signer: Signer | null } {
  if (config.operatorAdmin) {
    const address = config.operatorAdmin.toLowerCase();
    return { address, signer: signers.find((signer) => signer.address === address) ?? null };
  }
  if (!config.rpcUrls) {
    const signer = createKeySigner(embeddedAccounts[1].privateKey);
    return { address: signer.address, signer };
  }
  const [first] = signers;
  if (LOCAL_CHAINS.includes(chainId) && first) return { address: first.address, signer: first };
  throw new ConfigError(
    'OPERATOR_ADMIN is not set: it is the address that may change roles and owners on the chain',
  );
}
