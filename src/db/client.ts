import { createHash } from 'node:crypto';
import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { setBounded } from '../lib/bounded-map.ts';
import { connectionClass, withDefaults } from './connection.ts';
import type { Ask, ConnectionOptions } from './connection.ts';
import type { FailedWrites } from './failed-writes.ts';

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
   * A pooler in transaction mode would not find them again. PostgreSQL plans anew after each ANALYZE,
   * autovacuum's too (https://www.postgresql.org/docs/current/sql-prepare.html, Notes).
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
  const settings = withDefaults(options);
  const clientClass = connectionClass({ url, name: 'mintmark', ...settings });
  // What Knex takes from its driver is the class of a connection.
  (db.client as { driver: { Client: new () => pg.Client } }).driver = { Client: clientClass };
  db.userParams = { prepares };
  // What a transaction within a transaction has in common with the pool, unlike its parameters.
  (db.client as Client).config.writes = settings.health.writes;
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.destroy() });
}

/** As much of a connection's keeper as running a statement takes: the pool, or the one connection of a transaction. */
interface Client {
  config: { writes: FailedWrites };
  acquireConnection(): Promise<object>;
  releaseConnection(connection: object): Promise<void>;
  query<Row>(connection: object, statement: Statement): Promise<{ response: { rows: Row[] } }>;
  emit(event: 'query-response', response: object, statement: Statement): void;
}

/** A statement as Knex takes it, with `$1` placeholders. */
interface Statement {
  method: 'raw';
  sql: string;
  bindings: readonly unknown[];
  options: { name?: string };
}

/**
 * Runs SQL with `:name` placeholders and returns its rows. Arrays are PostgreSQL arrays, Buffers are bytea. Pool and
 * transactions are those of Knex; its own way of running a statement reads the whole text several times.
 */
export async function query<Row>(
  db: Db | Tx,
  sql: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const { text, names, name } = parse(sql, bindings);
  const values = names.map((key) => valueOf(bindings, key));
  const isPrepared = db.userParams['prepares'] === true && name !== null;
  const client = db.client as Client;
  const { writes } = client.config;
  const connection = await client.acquireConnection();
  try {
    const options = isPrepared ? { name } : {};
    const statement: Statement = { method: 'raw', sql: text, bindings: values, options };
    const { response } = await client.query<Row>(connection, statement);
    client.emit('query-response', response, statement);
    writes.succeeded(text);
    return response.rows;
  } catch (error) {
    writes.failed(text, error);
    throw error;
  } finally {
    await client.releaseConnection(connection);
  }
}

/** What a statement in the sources comes to. */
interface Parsed {
  text: string;
  /** Of the bindings, by their places. */
  names: readonly string[];
  /** Of the prepared statement; null for several statements at once, which cannot be prepared. */
  name: string | null;
}

/** There are as many as queries in the sources. */
const parsed = new Map<string, Parsed>();
/** A name, and what it is cast to; a second colon is that of a cast. */
const PLACEHOLDER = /(?<!:):([a-z]\w*)(::[a-z]\w*(?:\[\])?)?/gi;
const ONE_STATEMENT = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/**
 * Makes `$1` of `:name`. A name that comes again with the same cast is the same parameter, of which the value is sent once;
 * without a cast PostgreSQL may find another type in each place.
 */
function parse(sql: string, bindings: Readonly<Record<string, unknown>>): Parsed {
  const known = parsed.get(sql);
  if (known) return known;
  const names: string[] = [];
  const casts = new Map<string, number>();
  const text = sql.replace(PLACEHOLDER, (all, name: string, cast = '') => {
    // In a text or a format of SQL.
    if (!Object.hasOwn(bindings, name)) return all;
    const place = (cast !== '' && casts.get(`${name}${cast}`)) || names.push(name);
    casts.set(`${name}${cast}`, place);
    return `$${place}${cast}`;
  });
  const isPreparable = names.length > 0 || ONE_STATEMENT.test(text);
  const result = { text, names, name: isPreparable ? nameOf(text) : null };
  parsed.set(sql, result);
  return result;
}

/**
 * By what it says: behind a pooler that nobody told us of, the connection of another process, or of another version, may have
 * prepared a statement of this name, and then it is this one.
 */
function nameOf(text: string): string {
  return `mintmark_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** @throws Error for what was forgotten, which the driver would take for null */
function valueOf(bindings: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = bindings[name];
  if (value === undefined || (Array.isArray(value) && value.includes(undefined)))
    throw new Error(`the binding ${name} is undefined`);
  return value;
}

/** Asks over whatever connection of the pool is free. */
export const askOf =
  (db: Db): Ask =>
  (sql, bindings) =>
    query(db, sql, bindings);
