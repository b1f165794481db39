import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';

/** The pool. A function that needs atomicity takes a `Tx` instead. */
export type Db = Knex;
export type Tx = Knex.Transaction;

// bigint columns (intent numbers, nonces, balances) arrive as bigint and not as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
// A date (the first day of a metering period) stays the text that it is: it has no time zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/**
 * Milliseconds that a transaction may rest between two statements. A process that is frozen in the middle of one (a
 * machine that sleeps) would else hold its locks for as long, and with them every other replica.
 */
const MAX_REST_MS = 5_000;

/** Our queries are short: compiling one (JIT) takes longer than running it, whatever the planner expects. */
const SESSION = `set idle_in_transaction_session_timeout = ${MAX_REST_MS}; set jit = off`;

/**
 * Opens a pool of at most `poolSize` connections. No session state is used but
 * settings that are right for whoever gets the session next: PgBouncer may stand in between.
 */
export function createDb(url: string, poolSize: number): Db {
  return knex({
    client: 'pg',
    connection: { connectionString: url, application_name: 'mintmark' },
    pool: {
      min: 0,
      max: poolSize,
      afterCreate: (connection: pg.Client, done: (error: Error | null, connection: pg.Client) => void) => {
        connection.query(SESSION, (error) => done(error, connection));
      },
    },
    acquireConnectionTimeout: 15_000,
    // Knex would write to the console what it also throws; what catches it logs it once, in our form.
    log: {
      warn: () => undefined,
      error: () => undefined,
      debug: () => undefined,
      deprecate: () => undefined,
    },
  });
}

/** The connection string that a pool was opened with. */
export function urlOf(db: Db): string {
  return (db.client as { config: { connection: { connectionString: string } } }).config.connection
    .connectionString;
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
