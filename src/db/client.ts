import { createHash } from 'node:crypto';
import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { setBounded } from '../lib/bounded-map.ts';
import { connectionClass, withDefaults } from './connection.ts';
import type { Ask, ConnectionOptions } from './connection.ts';

/** The pool. A function that needs atomicity takes a `Tx` instead. */
export type Db = Knex;
export type Tx = Knex.Transaction;

// bigint columns (intent numbers, nonces, balances) arrive as bigint and not as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
// A date (the first day of a metering period) stays the text that it is: it has no time zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** What the driver reads of a time; a number for an infinite one. */
type Time = Date | number;

const readNewTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Time;
const MAX_TIMES = 100;
const times = new Map<string, Time>();

/** What one statement or transaction writes has one time, in each row twice: to read it takes as long as the rest of the row. */
function readTime(text: string): Time {
  let time = times.get(text);
  if (time === undefined) {
    time = readNewTime(text);
    setBounded(times, text, time, MAX_TIMES);
  }
  return time instanceof Date ? new Date(time) : time;
}
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, readTime);

/** What the connections of a pool have in common. */
interface PoolOptions extends Partial<ConnectionOptions> {
  /**
   * Whether each connection keeps the statements that it has run: parsing and planning take longer than running most of them.
   * A pooler in transaction mode would not find them again. A plan that was made for an empty table is not kept for a full
   * one: PostgreSQL plans anew after each ANALYZE, autovacuum's too ("or their planner statistics have been updated",
   * https://www.postgresql.org/docs/current/sql-prepare.html, Notes).
   */
  prepares?: boolean;
}

/**
 * Opens a pool of at most `poolSize` connections.
 * @param url may name several hosts
 */
export function createDb(
  url: string,
  poolSize: number,
  { prepares = false, ...options }: PoolOptions = {},
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
  db.userParams = { prepares };
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() });
}

/** Runs SQL with `:name` placeholders and returns its rows. Arrays are PostgreSQL arrays, Buffers are bytea. */
export async function query<Row>(
  db: Db | Tx,
  sql: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const statement = db.raw<{ rows: Row[] }>(sql, bindings as Knex.ValueDict);
  // Without bindings it may be several statements at once, which cannot be prepared.
  const isPrepared = db.userParams['prepares'] === true && Object.keys(bindings).length > 0;
  const result = await (isPrepared ? statement.options({ name: nameOf(sql) }) : statement);
  return result.rows;
}

/** The names of prepared statements; there are as many as queries in the sources. */
const names = new Map<string, string>();

/**
 * By what it says: behind a pooler that nobody told us of, the connection of another process, or of another version, may have
 * prepared a statement of this name, and then it is this one.
 */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? `mintmark_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
  names.set(sql, name);
  return name;
}

/** Asks over whatever connection of the pool is free. */
export const askOf =
  (db: Db): Ask =>
  (sql, bindings) =>
    query(db, sql, bindings);
