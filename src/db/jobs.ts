import { Logger as JobLogger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from '../telemetry/logger.ts';
import { query } from './client.ts';
import type { Db } from './client.ts';
import { connectionClass, longTimeouts, withDefaults } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';

/** Where graphile-worker keeps its jobs, beside the tables of the service. */
export const JOB_SCHEMA = 'graphile_worker';

/** Ids of jobs stay the text that they are: the library hands them back as it got them. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, (text) => text);

/** A pool of plain connections, as graphile-worker wants them. */
export function createJobPool(url: string, max: number, options: Partial<ConnectionOptions> = {}): pg.Pool {
  const clientClass = connectionClass({ url, name: 'mintmark jobs', types, ...withDefaults(options) });
  const pool = new pg.Pool({ max, Client: clientClass });
  // The user of a connection gets its errors as well; graphile-worker warns where these two lines are missing.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** The library's messages in our form; its routine messages only at level trace. */
export function createJobLogger(log: Logger): JobLogger {
  return new JobLogger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ reason: message }, 'background work');
    else log.trace({ reason: message }, 'background work');
  });
}

/** Brings the schema of the jobs to the newest version. The caller lets only one process at a time do so. */
export async function migrateJobs(url: string): Promise<void> {
  const pgPool = createJobPool(url, 1, { timeouts: longTimeouts });
  const logger = new JobLogger(() => () => undefined);
  try {
    await runMigrations({ pgPool, logger, schema: JOB_SCHEMA });
  } finally {
    await pgPool.end();
  }
}

/**
 * Frees the jobs of processes that were killed: no job takes minutes, so a process that has held one for so long is
 * gone, or was when the clock was set back. The library itself would wait for four hours.
 */
export async function freeJobs(db: Db): Promise<void> {
  await query(
    db,
    `select ${JOB_SCHEMA}.force_unlock_workers(array(
       select distinct locked_by from ${JOB_SCHEMA}.jobs where locked_at not between now() - interval '3 minutes' and now() + interval '3 minutes'))`,
  );
}
