import path from 'node:path';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { createDb } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import { migrate } from '../db/migrate.ts';
import { createNotifications } from '../db/notifications.ts';
import type { Notifications } from '../db/notifications.ts';
import { startEmbeddedPostgres } from '../embedded/postgres.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface Database {
  db: Db;
  notifications: Notifications;
  /** For connections with LISTEN, which no pooler in transaction mode can be between. */
  directUrl: string;
  /** One sentence when the embedded database ends by itself. */
  ended: Promise<string>;
}

const POOL_SIZE = 10;

/** Opens the database and brings it to the newest schema. @throws Error with one sentence */
export async function openDatabase(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<Database> {
  const { url, ended } = await findDatabase(config, log, stack);
  const db = createDb(url, POOL_SIZE);
  stack.defer(() => db.destroy());
  try {
    await migrate(db);
    const directUrl = config.databaseDirectUrl ?? url;
    const notifications = await createNotifications(directUrl, log);
    stack.defer(() => notifications.close());
    return { db, notifications, directUrl, ended };
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error);
    throw new ConfigError(`The database does not answer as it should: ${reason}; check DATABASE_URL`);
  }
}

/** The configured database, or an embedded one. */
async function findDatabase(
  { databaseUrl, rpcUrls, dataDir }: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<{ url: string; ended: Promise<string> }> {
  if (databaseUrl) return { url: databaseUrl, ended: new Promise(() => undefined) };
  const fresh = rpcUrls === null;
  const postgres = await startEmbeddedPostgres({
    dataDir: path.resolve(dataDir, fresh ? 'embedded' : 'pg'),
    log: (message) => log.info(message),
    data: fresh ? 'throwaway' : 'lasting',
  });
  stack.defer(() => postgres.stop());
  return postgres;
}
