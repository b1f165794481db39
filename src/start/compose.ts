import type { Chain } from '../chain/chain.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import type { System } from '../chain/system/system-contracts.ts';
import type { Config } from '../config.ts';
import { askOf } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { createEngine, createKnownCommits, defaultTimings } from '../engine/index.ts';
import type { Engine, KnownCommits, EngineTimings } from '../engine/index.ts';
import type { AccountService } from '../features/accounts/service.ts';
import { findGone } from '../features/collections/intents.ts';
import { createConsole } from '../features/console/pages.ts';
import { createDocs } from '../features/docs/pages.ts';
import { HOME_PATHS, createHome } from '../features/home/pages.ts';
import { createFollowUps } from '../features/follow-ups.ts';
import { createExplorer } from '../features/explorer/pages.ts';
import { createAuthenticate } from '../features/keys/service.ts';
import { createHold } from '../features/metering/intents.ts';
import type { Metrics } from '../features/metrics/pages.ts';
import { createSecretBox } from '../features/webhooks/secret.ts';
import type { AppOptions } from '../http/app.ts';
import type { HashCost } from '../features/accounts/password.ts';
import type { DrainTimes } from '../http/drain.ts';
import { isFromThisMachine } from '../http/local.ts';
import { createCrash } from '../lib/crash-points.ts';
import type { NamedId } from '../lib/named-id.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Observe } from '../telemetry/observe.ts';
import { openChain, prepareChain } from './chain.ts';
import { openDatabase } from './database.ts';
import type { Database, DatabaseTimings } from './database.ts';
import { startEmbedded } from './embedded.ts';
import type { Embedded } from './embedded.ts';
import { createFeatures } from './features.ts';
import { startJobs } from './jobs.ts';
import { openNamedIds } from './named-ids.ts';
import { createReadiness } from './readiness.ts';
import { loadSigners } from './signers.ts';
import { openTelemetry } from './telemetry.ts';
import { loadWebhookKeys } from './webhook-keys.ts';

/** Everything but the servers, as far as the service uses it. Disposing of it closes all of it, last opened first. */
export interface Composition extends AsyncDisposable {
  /** What the API is made of. */
  app: Pick<AppOptions, 'handlers' | 'authenticate' | 'readiness' | 'observe' | 'pages'>;
  metrics: Pick<Metrics, 'page'>;
  engine: Engine;
  chainId: bigint;
  /** Where the chain answers, for people. */
  chainUrl: string;
  /** Milliseconds for which the database has answered nothing; 0 when it answers. */
  silentForMs(): number;
  /** One sentence when an embedded part ends by itself. */
  broken: Promise<string>;
  // For tests.
  db: Db;
  rpc: Rpc;
  system: System;
  accounts: AccountService;
}

/** What no configuration says. */
export interface ServiceOptions {
  /** Database and chain of its own, when they are starting already. */
  embedded?: Embedded;
  /** Clocks of the engine that are not the default ones. */
  timings?: Partial<EngineTimings>;
  /** Clocks of the connections to the database that are not the default ones. */
  databaseTimings?: Partial<DatabaseTimings>;
  /** How long connections may be idle and answers may take when the service stops, where it is not the default. */
  drain?: Partial<DrainTimes>;
  /** What hashing a password costs, where it is not the default. */
  passwordCost?: HashCost;
  /**
   * Milliseconds for which a lane with work may stand still before `GET /ready` answers 503, where it is not the
   * default.
   */
  maxStallMs?: number;
}

/** Opens database and chain, prepares both, and puts the service together. @throws Error with one sentence. */
export async function compose(config: Config, log: Logger, options: ServiceOptions): Promise<Composition> {
  const { timings = {}, databaseTimings = {}, passwordCost, maxStallMs } = options;
  await using stack = new AsyncDisposableStack();
  const { metrics, observe } = await openTelemetry(config, log, stack);
  const commits = createKnownCommits(log);
  const { embedded = startEmbedded(config, log) } = options;
  const [database, bare] = await Promise.all([
    openDatabase(config, log, stack, { embedded: embedded.database, commits, timings: databaseTimings }),
    openChain(config, embedded.chain, observe, stack),
  ]);
  const { db } = database;
  const signers = config.role === 'api' ? [] : await loadSigners(config, log, stack);
  const webhookKeys = await loadWebhookKeys(config);
  const box = webhookKeys.length > 0 ? createSecretBox(webhookKeys) : null;
  const chain = await prepareChain(config, log, { db, chain: bare, signers });
  await commits.goOn(askOf(db));
  const { rpc, chainId, system } = chain;

  const namedId = await openNamedIds(db, webhookKeys);
  const engine = openEngine(config, log, { database, chain, observe, timings, commits, namedId });
  stack.defer(() => engine.stop());
  engine.run(signers);
  if (config.role !== 'api') {
    const { directUrl, connections } = database;
    const jobs = startJobs({ config, log, db, box, observe, directUrl, connections });
    stack.defer(() => jobs.stop());
  }

  const { accounts, handlers } = createFeatures({ config, db, chain, engine, box, namedId, passwordCost });
  await accounts.ensureInvites(config.bootstrapInvites);
  const readiness = createReadiness({ rpc, engine, database, log, maxStallMs });
  metrics.watch({ db, rpc, engine, readiness, maxFeesPerDay: config.maxFeesPerDay });
  const explorer = config.explorer
    ? [{ path: '/explorer', router: createExplorer({ db, chain, publicUrl: config.publicUrl }) }]
    : [];
  const { publicUrl, explorerUrl, network } = config;
  const pages = [
    { path: HOME_PATHS, router: createHome({ publicUrl, explorerUrl, network, chainId }) },
    { path: '/console', router: createConsole({ ipfsGateway: config.ipfsGateway }) },
    { path: '/docs', router: createDocs() },
    ...explorer,
    // A port that the internet reaches shows its figures to this machine alone; METRICS_PORT is for the others.
    { path: '/metrics', router: metrics.page(isFromThisMachine) },
  ];
  const opened = stack.move();
  return {
    app: { handlers, authenticate: createAuthenticate(db), readiness, observe, pages },
    metrics,
    engine,
    chainId,
    chainUrl: bare.urls[0]!,
    silentForMs: database.silentForMs,
    broken: Promise.race([database.ended, bare.ended]),
    db,
    rpc,
    system,
    accounts,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function openEngine(
  config: Config,
  log: Logger,
  parts: {
    database: Database;
    chain: Chain;
    observe: Observe;
    timings: Partial<EngineTimings>;
    commits: KnownCommits;
    namedId: NamedId;
  },
): Engine {
  const { database, chain, observe, timings, commits, namedId } = parts;
  return createEngine({
    db: database.db,
    notifications: database.notifications,
    chain,
    log,
    config: {
      maxInFlight: config.maxInFlight,
      maxBatch: config.maxBatch,
      maxFeesPerDay: config.maxFeesPerDay,
      observe,
      checkDatabase: database.check,
      timings: { ...defaultTimings, ...timings },
      reach: config.crashAt ? createCrash(config.crashAt.point, config.crashAt.pass) : () => undefined,
    },
    waitTimeoutMs: config.waitTimeoutMs,
    findGone,
    hold: createHold(config.gasPerDay),
    followUps: createFollowUps(database.db, chain.explorerUrl),
    onSettled: chain.blockCache.expectNewBlock,
    commits,
    namedId,
  });
}
