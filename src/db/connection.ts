import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { hostOf, splitHosts } from '../lib/database-url.ts';
import { ServerRefused, createServerHealth } from './server-health.ts';
import type { ServerHealth } from './server-health.ts';
import { SET_ALL, sessionSettings } from './session-settings.ts';

/** Runs SQL with `:name` placeholders and returns its rows. */
export type Ask = <Row extends object>(
  sql: string,
  bindings?: Readonly<Record<string, unknown>>,
) => Promise<Row[]>;

/** Whether what a new connection leads to is the server that the process knows. @throws ServerRefused */
export type ServerCheck = (ask: Ask) => Promise<void>;

/** In milliseconds. */
export interface ConnectionTimeouts {
  /** For a new connection to be ready, its authentication included. */
  connectMs: number;
  /** For the next sign of life of a server that has something to answer. */
  queryMs: number;
}

/** What the connections of one process have in common. */
export interface ConnectionOptions {
  timeouts: ConnectionTimeouts;
  health: ServerHealth;
  check: ServerCheck;
}

/**
 * Keep-alive alone does not find a server that went silent: the kernel of a dead machine, or of a paused one, may still
 * acknowledge. Whoever is cut off here asks again over a new connection.
 */
export const defaultTimeouts: Readonly<ConnectionTimeouts> = { connectMs: 5_000, queryMs: 10_000 };

/** For statements that may take minutes. */
export const longTimeouts: Readonly<ConnectionTimeouts> = { connectMs: 5_000, queryMs: 600_000 };

/** For the build of an index on a large table: one that is cut off begins anew. */
export const migrationTimeouts: Readonly<ConnectionTimeouts> = { connectMs: 5_000, queryMs: 6 * 3_600_000 };

/**
 * Milliseconds that a transaction may be idle between two statements. A process that is frozen in the middle of one (a
 * machine that sleeps) would else hold its locks for as long, and with them every other replica.
 */
const MAX_IDLE_MS = 5_000;
/** The server gives up a statement before we do: else it would work on for nobody, and hold its locks. */
const STATEMENT_MARGIN_MS = 1_000;
/** PostgreSQL's code for a write in a read-only transaction. */
const READ_ONLY = '25006';
/**
 * Its codes for a prepared statement whose answer has another shape since a migration, for one that is gone, and for
 * one that is there already: behind a pooler these two are of other connections.
 */
const STALE_STATEMENT = new Set(['0A000', '26000', '42P05']);
const PLACEHOLDER = /(?<!:):([a-z]\w*)/gi;

/** One connection, under the name that it has in `pg_stat_activity`. */
interface ConnectionSettings extends ConnectionOptions {
  url: string;
  name: string;
  types?: pg.CustomTypesConfig;
  /**
   * Whether it keeps the statements that it has run: parsing and planning take longer than running most of them.
   * A pooler in transaction mode would not find them again. PostgreSQL plans anew after each ANALYZE,
   * autovacuum's too (https://www.postgresql.org/docs/current/sql-prepare.html, Notes).
   */
  prepares?: boolean;
}

/** Several statements at once cannot be prepared; with parameters there is only one. */
const ONE_STATEMENT = /^\s*(?:select|with|insert|update|delete)\b[^;]*$/i;

/** Of prepared statements, by their texts: there are as many as statements in the sources. */
const names = new Map<string, string>();

/**
 * By what it says: behind a pooler that nobody told us of, the connection of another process, or of another version,
 * may have prepared a statement of this name, and then it is this one.
 */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `mintmark_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}

function named(statement: string | pg.QueryConfig): string | pg.QueryConfig {
  if (typeof statement === 'string') return statement;
  const { text, values = [] } = statement;
  return values.length > 0 || ONE_STATEMENT.test(text) ? { ...statement, name: nameOf(text) } : statement;
}

/**
 * A connection that waits for nothing for ever, and that is only opened to a server that takes writes and passes the
 * check. Of several hosts in the URL it takes the first such one.
 */
class Connection extends pg.Client {
  readonly #settings: ConnectionSettings;
  /** Whether a pool may give it to somebody. */
  isUsable = true;

  constructor(settings: ConnectionSettings) {
    const { url, name, timeouts, types } = settings;
    super({
      connectionString: splitHosts(url)[0]!,
      application_name: name,
      connectionTimeoutMillis: timeouts.connectMs,
      keepAlive: true,
      ...(types && { types }),
    });
    this.#settings = settings;
    // Whoever uses the connection gets its errors as well; without a listener they would end the process.
    const retire = (): void => void (this.isUsable = false);
    this.on('error', retire).on('end', retire);
  }

  /** As its own, but for the names of statements. */
  override query<Answer>(...given: unknown[]): Answer {
    const [statement, ...rest] = given as [string | pg.QueryConfig];
    const answer: unknown = super.query(this.#settings.prepares ? named(statement) : statement, ...rest);
    return answer as Answer;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client: pg.Client) => void): Promise<pg.Client> | void {
    const opened = this.#open();
    if (!callback) return opened;
    opened.then(
      () => callback(null, this),
      (error: Error) => callback(error, this),
    );
  }

  async #open(): Promise<pg.Client> {
    const { url, health, check } = this.#settings;
    const hosts = splitHosts(url);
    if (hosts.length > 1) {
      health.primary ??= hostOf(await findPrimary(hosts, this.#settings));
      Object.assign(this, health.primary);
    }
    try {
      await this.#connectInTime();
      this.#watch();
      await this.#prepare();
      await check(this.#ask);
      health.checked(null);
      return this;
    } catch (error) {
      health.primary = null;
      if (error instanceof ServerRefused) health.checked(error);
      this.connection.stream.destroy();
      throw error;
    }
  }

  async #connectInTime(): Promise<void> {
    const { timeouts, health } = this.#settings;
    const began = performance.now();
    try {
      await super.connect();
      health.heard();
    } catch (error) {
      // Whoever refuses is there.
      if (performance.now() - began < timeouts.connectMs) health.heard();
      else health.unanswered(timeouts.connectMs);
      throw error;
    }
  }

  /** Cuts the connection when the server owes an answer and is silent. An idle one owes none. */
  #watch(): void {
    const { timeouts, health } = this.#settings;
    const { stream } = this.connection;
    if (!(stream instanceof Socket)) throw new Error('the connection to the database is no socket');
    let [answeredUpTo, answers] = [stream.bytesWritten, 0];
    // Before the library's own listener, which sends the next query at once.
    this.connection.prependListener('readyForQuery', () => {
      answeredUpTo = stream.bytesWritten;
      answers += 1;
      health.heard();
    });
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) health.refuse(readOnly());
      // The pool gives a connection with an error to nobody any more: another one prepares the statement anew.
      if (code && STALE_STATEMENT.has(code)) this.emit('error', new Error('A prepared statement is stale'));
    });
    stream.setTimeout(timeouts.queryMs).on('timeout', () => {
      const before = answers;
      // A process that was frozen reads first what has arrived meanwhile.
      setImmediate(() => {
        if (answers !== before || stream.bytesWritten === answeredUpTo) return;
        health.unanswered(timeouts.queryMs);
        stream.destroy(new Error(`The database has not answered for ${timeouts.queryMs} ms`));
      });
    });
    const remove = health.add((reason) => stream.destroy(reason));
    stream.once('close', remove);
  }

  /**
   * No other state of the session is used than settings that are right for whoever gets it next: PgBouncer may stand in
   * between.
   */
  async #prepare(): Promise<void> {
    const statementMs = Math.max(this.#settings.timeouts.queryMs - STATEMENT_MARGIN_MS, 1);
    const [row] = await this.#ask<{ readOnly: string; encoding: string }>(
      `select (${SET_ALL}), current_setting('transaction_read_only') as "readOnly", current_setting('server_encoding') as encoding`,
      sessionSettings({
        idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
        statement_timeout: String(statementMs),
      }),
    );
    if (row!.readOnly === 'on') throw readOnly();
    if (row!.encoding !== 'UTF8') throw otherEncoding(row!.encoding);
  }

  readonly #ask: Ask = async <Row extends object>(
    sql: string,
    bindings: Readonly<Record<string, unknown>> = {},
  ) => {
    const values: unknown[] = [];
    const text = sql.replace(PLACEHOLDER, (_, name: string) => `$${values.push(bindings[name])}`);
    return (await super.query<Row>(text, values)).rows;
  };
}

export function readOnly(): ServerRefused {
  return new ServerRefused('The database is read-only: a standby, or a primary that was demoted.');
}

function otherEncoding(encoding: string): ServerRefused {
  return new ServerRefused(
    `The database has the encoding ${encoding}, and texts need UTF8: create one with ` +
      `"create database NAME encoding 'UTF8' template template0"`,
  );
}

/** The first of the hosts that answers and takes writes. @throws what the last one was refused for */
async function findPrimary(hosts: readonly string[], settings: ConnectionSettings): Promise<string> {
  let last: unknown;
  for (const url of hosts) {
    const probe = new Connection({ ...settings, url });
    try {
      await probe.connect();
      await probe.end();
      return url;
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

/** Completes what connections have in common. */
export const withDefaults = (options: Partial<ConnectionOptions>): ConnectionOptions => ({
  timeouts: defaultTimeouts,
  health: createServerHealth(),
  check: async () => undefined,
  ...options,
});

export type { Connection };

/** Opens a connection for a pool. */
export async function openConnection(settings: ConnectionSettings): Promise<Connection> {
  const connection = new Connection(settings);
  await connection.connect();
  return connection;
}

/** The class of connections with these settings, for a pool that makes them itself. */
export function connectionClass(settings: ConnectionSettings): new () => pg.Client {
  return class extends Connection {
    constructor() {
      super(settings);
    }
  };
}

const HEARTBEAT_MS = 5_000;

/** Asks something now and then over a connection that otherwise only listens, so that its silence is found. */
export function keepAsking(client: pg.ClientBase, everyMs = HEARTBEAT_MS): void {
  let isPending = false;
  const timer = setInterval(() => {
    if (isPending) return;
    isPending = true;
    client.query('select 1').then(
      () => {
        isPending = false;
      },
      () => clearInterval(timer),
    );
  }, everyMs);
  client.once('end', () => clearInterval(timer));
}
