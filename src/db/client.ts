import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { Pool } from 'tarn';
import { setBounded } from '../lib/bounded-map.ts';
import type { Hex } from '../lib/hex.ts';
import { openConnection, withDefaults } from './connection.ts';
import type { Ask, Connection, ConnectionOptions } from './connection.ts';

/** The pool. A function that needs atomicity takes a `Tx` instead. */
export type Db = Knex;
export type Tx = Knex.Transaction;

// bigint columns (intent numbers, nonces, balances) arrive as bigint and not as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt);
// A date (the first day of a metering period) stays the text that it is: it has no time zone.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

// Bytes arrive as hex, of which PostgreSQL writes the digits: connections set `bytea_output`. Bound they are Buffers.
const readBytes = (text: string): Hex => `0x${text.slice(2)}`;
pg.types.setTypeParser(pg.types.builtins.BYTEA, readBytes);
/** Types of lists, which the driver has no names of. */
const [BYTEA_LIST, TEXT_LIST]: [number, number] = [1001, 1009];
const readTexts = pg.types.getTypeParser(TEXT_LIST) as (text: string) => string[];
pg.types.setTypeParser(BYTEA_LIST, (text) => readTexts(text).map(readBytes));

/** What the driver reads of a time; a number for an infinite one. */
type Time = Date | number;

const readNewTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Time;
const MAX_TIMES = 100;
const times = new Map<string, Time>();

/**
 * What one statement or transaction writes has one time, in each row twice: to read it takes as long as the rest of the
 * row.
 */
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
  /** Whether each connection keeps the statements that it has run. */
  prepares?: boolean;
}

/**
 * Opens a pool of at most `poolSize` connections. It is closed by disposal: Knex's own `destroy` leaves a pool open
 * that it did not make.
 * @param url may name several hosts
 */
export function createDb(
  url: string,
  poolSize: number,
  { prepares = false, ...options }: PoolOptions = {},
): Db & AsyncDisposable {
  const settings = { url, name: 'mintmark', prepares, ...withDefaults(options) };
  // The pool that Knex makes itself, but for connections of our own.
  const pool = new Pool<Connection>({
    min: 0,
    max: poolSize,
    acquireTimeoutMillis: 15_000,
    // What refuses a connection is told to its first user, and not tried again until the time is over.
    propagateCreateError: true,
    create: () => openConnection(settings),
    validate: ({ isUsable }) => isUsable,
    destroy: (connection) => connection.end(),
  });
  const db = knex({
    client: 'pg',
    connectionPool: pool,
    // Knex would write to the console what it also throws; what catches it logs it once, in our form.
    log: {
      warn: () => undefined,
      error: () => undefined,
      debug: () => undefined,
      deprecate: () => undefined,
    },
  });
  const { writes } = settings.health;
  db.on('query-response', (_response, { sql }: { sql: string }) => writes.succeeded(sql));
  db.on('query-error', (error: unknown, { sql }: { sql: string }) => writes.failed(sql, error));
  return Object.assign(db, { [Symbol.asyncDispose]: async () => void (await pool.destroy()) });
}

/**
 * Runs SQL with `:name` placeholders and returns its rows. Arrays are PostgreSQL arrays, Buffers are bytea, which is
 * read as Hex. The one way to the database for what the query builder cannot say, and for the statements of a mint.
 */
export async function query<Row>(
  db: Db | Tx,
  sql: string,
  bindings: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const { text, names } = parse(sql, bindings);
  const values = names.map((key) => valueOf(bindings, key));
  const { rows } = await db.raw<{ rows: Row[] }>(text).options({ values });
  return rows;
}

/** Whether a statement returns a row: it found one, or changed one. */
export async function hasRows(
  db: Db | Tx,
  sql: string,
  bindings?: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const rows = await query(db, sql, bindings);
  return rows.length > 0;
}

/** What a statement in the sources comes to. */
interface Parsed {
  text: string;
  /** Of the bindings, by their places. */
  names: readonly string[];
}

/** There are as many as queries in the sources. */
const parsed = new Map<string, Parsed>();
/** A name, and what it is cast to; a second colon is that of a cast. */
const PLACEHOLDER = /(?<!:):([a-z]\w*)(::[a-z]\w*(?:\[\])?)?/gi;

/**
 * Makes `$1` of `:name`. A name that comes again with the same cast is the same parameter, of which the value is sent
 * once; without a cast PostgreSQL may find another type in each place.
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
  const result = { text, names };
  parsed.set(sql, result);
  return result;
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
