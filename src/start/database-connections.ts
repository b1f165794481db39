import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { createDb, query } from '../db/client.ts';
import type { Db } from '../db/client.ts';
import type { ConnectionOptions } from '../db/connection.ts';
import { readConnectionLimit } from '../db/connection-limit.ts';
import type { ProbedNotifications } from '../db/notifications.ts';
import { NEEDED_BEHIND_POOLER } from '../db/session-settings.ts';
import { MAX_JOB_CONNECTIONS } from './jobs.ts';

/** The connection with LISTEN. */
const LISTENING = 1;

/**
 * Checks that the server allows the connections that all parts of this process may open at once. Those of other
 * processes are not counted: they come and go. @throws ConfigError
 */
export async function checkConnectionLimit(
  { role, databasePoolSize }: Pick<Config, 'role' | 'databasePoolSize'>,
  {
    db,
    url,
    directUrl,
    connections,
  }: { db: Db; url: string; directUrl: string; connections: ConnectionOptions },
): Promise<void> {
  // What goes through a pooler is limited there.
  const isDirect = url === directUrl;
  await using direct = isDirect ? null : createDb(directUrl, 1, connections);
  const limit = await readConnectionLimit(direct ?? db);
  const jobs = role === 'api' ? 0 : MAX_JOB_CONNECTIONS;
  const pool = isDirect ? databasePoolSize : 0;
  const needed = pool + LISTENING + jobs;
  if (needed <= limit.connections) return;
  const parts = [
    ...(isDirect ? [`DATABASE_POOL_SIZE ${databasePoolSize}`] : []),
    `${LISTENING} that listens`,
    ...(jobs > 0 ? [`${jobs} for background work`] : []),
  ].join(', ');
  throw new ConfigError(
    `This process may need ${needed} connections to PostgreSQL (${parts}) and gets ${limit.connections} at most: ` +
      `${limit.because}; raise that${isDirect ? ', or lower DATABASE_POOL_SIZE' : ''}`,
  );
}

/**
 * Checks what a session inherits that the service cannot set through a pooler in transaction mode, which gives each
 * transaction another connection. @throws ConfigError
 */
export async function checkInherited(db: Db): Promise<void> {
  const rows = await query<{ name: string; value: string; role: string; database: string }>(
    db,
    `select name, reset_val as value, quote_ident(current_user) as role, quote_ident(current_database()) as database
       from pg_settings where name = any(:names::text[])`,
    { names: Object.keys(NEEDED_BEHIND_POOLER) },
  );
  for (const { name, value, role, database } of rows) {
    const needed = NEEDED_BEHIND_POOLER[name]!;
    if (needed.includes(value)) continue;
    throw new ConfigError(
      `Through the pooler of DATABASE_URL the sessions have ${name} "${value}", and the service needs ${needed[0]}: ` +
        `run "alter role ${role} in database ${database} set ${name} = '${needed[0]}'", and let the pooler connect anew`,
    );
  }
}

/** Checks that notifications arrive. @throws ConfigError for a pooler that works by transaction */
export async function checkNotifications(
  { databaseDirectUrl }: Pick<Config, 'databaseDirectUrl'>,
  { db, notifications }: { db: Db; notifications: Pick<ProbedNotifications, 'arrives'> },
): Promise<void> {
  const arrives = await notifications.arrives((payload) =>
    query(db, `select pg_notify('mintmark_probe', :payload)`, { payload }),
  );
  if (arrives) return;
  throw new ConfigError(
    databaseDirectUrl
      ? 'DATABASE_DIRECT_URL leads to a pooler in transaction mode, through which no notification arrives: ' +
          'let it lead to PostgreSQL itself'
      : 'DATABASE_URL leads to a pooler in transaction mode, such as PgBouncer, through which no notification arrives: ' +
          'set DATABASE_DIRECT_URL to PostgreSQL itself as well',
  );
}
