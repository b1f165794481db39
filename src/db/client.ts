import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { connectionClass, withDefaults } from './connection.ts';
import type { Ask, ConnectionOptions } from './connection.ts';

/** The pool. A function that needs atomicity takes a `Tx` instead. */
export type Db = Knex;
export type Tx = Knex.Transaction;

// bigint columns (intent numbers, nonces, balances) arrive as bigint and not as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
// A date (the first day of a metering period) stays the text that it is: it has no time zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/**
 * Opens a pool of at most `poolSize` connections.
 * @param url may name several hosts
 */
export function createDb(
  url: string,
  poolSize: number,
  options: Partial<ConnectionOptions> = {},
): Db & AsyncDisposable {
  const db = knex({
    client: 'pg',
    connection: { connectionString: url },
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 15_000,
    // Knex would write to the console what it also throws; what catches it logs it once, in our form.
    log: {
      warn: () => undefined,
      error: () => undefined,
      debug: () => undefined,
      deprecate: () => undefined,
    },
  });
  const clientClass = connectionClass({ url, name: 'mintmark', ...withDefaults(options) });
  // What Knex takes from its driver is the class of a connection.
  (db.client as { driver: { Client: new () => pg.Client } }).driver = { Client: clientClass };
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() });
}

/** Runs SQL with `:name` placeholders and returns its rows. Arrays are PostgreSQL arrays, Buffers are bytea. */
export async function query<Row>(
  db: Db | Tx,
  sql: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const result = await db.raw<{ rows: Row[] }>(sql, bindings as Knex.ValueDict);
  return result.rows;
}

/** Asks over whatever connection of the pool is free. */
export const askOf =
  (db: Db): Ask =>
  (sql, bindings) =>
    query(db, sql, bindings);
