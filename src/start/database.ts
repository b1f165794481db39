import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { askOf, createDb } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { defaultTimeouts } from '../db/connection.ts';
import type { ConnectionOptions, ConnectionTimeouts, ServerCheck } from '../db/connection.ts';
import { prepareSchema } from '../db/migrate.ts';
import { createNotifications } from '../db/notifications.ts';
import type { Notifications } from '../db/notifications.ts';
import { renewDatabase } from '../db/renew-database.ts';
import { checkSchema } from '../db/schema-range.ts';
import { ServerRefused, createServerHealth } from '../db/server-health.ts';
import type { KnownCommits } from '../engine/index.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Embedded } from './embedded.ts';
import { checkConnectionLimit, checkInherited, checkNotifications } from './database-connections.ts';

export interface Database {
  db: Db;
  notifications: Notifications;
  /** For connections with LISTEN, which no pooler in transaction mode can be between. */
  directUrl: string;
  /** What further connections have in common with those of `db`. */
  connections: ConnectionOptions;
  /** Whether the database takes writes and has what was committed. @throws ServerRefused; then no connection is kept */
  check(): Promise<void>;
  /** Why the database is not used, in a sentence for anybody; null when it is. */
  refusal(): string | null;
  /** Why it could not store what it was asked to last, in a sentence for anybody; null when it could. */
  failedWrite(): string | null;
  /** Milliseconds for which it has answered nothing; 0 when it answers. */
  silentForMs(): number;
  /** One sentence when the embedded database ends by itself, or any database is silent for too long. */
  ended: Promise<string>;
}

/** In milliseconds. */
export interface DatabaseTimings extends ConnectionTimeouts {
  /** A service without any answer for so long ends itself. */
  maxSilenceMs: number;
  /** How often the database is asked for what was committed. */
  lookMs: number;
}

const defaultTimings: Readonly<DatabaseTimings> = { ...defaultTimeouts, maxSilenceMs: 30_000, lookMs: 5_000 };

/** Opens the database, once it has a schema that this release works on. @throws Error with one sentence */
export async function openDatabase(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
  {
    embedded,
    commits,
    timings,
  }: { embedded: Embedded['database']; commits: KnownCommits; timings: Partial<DatabaseTimings> },
): Promise<Database> {
  const { url, ended } = await findDatabase(config, log, embedded, stack);
  const { maxSilenceMs, lookMs, ...timeouts } = { ...defaultTimings, ...timings };
  const health = createServerHealth(maxSilenceMs);
  // A later release may contract the schema while this one runs.
  const checkConnection: ServerCheck = async (ask) => {
    await checkSchema(ask);
    await commits.check(ask);
  };
  const connections = { timeouts, health, check: checkConnection };
  const directUrl = config.databaseDirectUrl ?? url;
  // Whoever gives another URL has a pooler in between.
  const prepares = directUrl === url;
  const db = stack.use(createDb(url, config.databasePoolSize, { ...connections, prepares }));
  const check = async (): Promise<void> => {
    try {
      await checkSchema(askOf(db));
      await commits.look(askOf(db));
    } catch (error) {
      if (error instanceof ServerRefused) health.refuse(error);
      throw error;
    }
  };
  try {
    if (!prepares) await checkInherited(db);
    await prepareSchema(directUrl, { mayMigrate: config.migrateAtStart, log });
    await check();
    await checkConnectionLimit(config, { db, url, directUrl, connections });
    const notifications = stack.use(await createNotifications(directUrl, log, connections));
    await checkNotifications(config, { db, notifications });
    // Between the lanes, whose holder looks when it takes one: an API replica has none.
    stack.use(repeat(check, lookMs));
    const { refusal, silentForMs, writes } = health;
    const anyEnd = Promise.race([ended, health.ended]);
    return {
      ...{ db, notifications, directUrl, connections, check, refusal, silentForMs },
      failedWrite: writes.reason,
      ended: anyEnd,
    };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof ServerRefused) throw new ConfigError(error.message);
    const reason =
      error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new ConfigError(`The database does not answer as it should: ${reason}; check DATABASE_URL`);
  }
}

/** Asks again and again, and once at a time, until it is disposed of. */
function repeat(ask: () => Promise<void>, everyMs: number): Disposable {
  let isAsking = false;
  const timer = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    void ask()
      .catch(() => undefined)
      .finally(() => (isAsking = false));
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The configured database, or the embedded one, which begins empty beside a chain of its own. */
async function findDatabase(
  { databaseUrl, rpcUrls }: Config,
  log: Logger,
  embedded: Embedded['database'],
  stack: AsyncDisposableStack,
): Promise<{ url: string; ended: Promise<string> }> {
  const own = await embedded;
  if (!own) return { url: databaseUrl!, ended: new Promise(() => undefined) };
  const { url, ended } = stack.use(own);
  // As the chain of its own does.
  if (!rpcUrls) await renewDatabase(url, log);
  return { url, ended };
}
