import { PGlite } from '@electric-sql/pglite';
import type { Random } from '../random.ts';
import type { Machine, Scheduled, Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

/** One connection of a client, as the server sees it. */
export interface Session {
  /** Bytes of the frontend, in any portions. */
  receive(bytes: Buffer): void;
  /** The client is gone: what it had begun is rolled back. */
  close(): void;
}

export interface Client {
  machine: Machine | null;
  receive(bytes: Buffer): void;
  /** The server ends the connection. */
  end(): void;
}

/** What a client may send before it waits for an answer. */
interface Unit {
  bytes: Buffer;
  text: string;
}

interface Waiting {
  connection: Connection;
  unit: Unit;
}

const QUERY = 0x51;
const PARSE = 0x50;
const SYNC = 0x53;
const TERMINATE = 0x58;
const READY = 0x5a;
const NOTIFICATION = 0x41;
const IDLE = 0x49;
const IN_TRANSACTION = 0x54;
const BEGIN = /^\s*begin\s*;/i;
const END = /^\s*(commit|rollback)\s*;/i;
const MIGRATION_LOCK = /pg_try_advisory_xact_lock\(hashtext\('mintmark migrations'\)\)/;
/** `idle_in_transaction_session_timeout` of src/db/connection.ts, which the server in this process has no timers for. */
const MAX_IDLE_MS = 5_000;
const LISTEN = /\blisten\s+"?([a-z_:]+)"?/gi;

/**
 * A PostgreSQL server in this process: the real one, compiled to WebAssembly, with real SQL, constraints and transactions. It
 * has one session, so the transactions of its clients run one after another: one that has begun keeps all others waiting.
 * What that cannot show (locks, deadlocks, `skip locked`, the order of commits) is tested on a real server.
 */
export class PostgresServer {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #machine: Machine = { name: 'postgres', isDead: false, pausedUntil: 0, clockStepMs: 0 };
  readonly #listeners = new Map<string, Set<Client>>();
  readonly #waiting: Waiting[] = [];
  #database: PGlite | null = null;
  /** Whose transaction goes on. */
  #owner: Connection | null = null;
  readonly #connections = new Set<Connection>();
  readonly #prepared = new Set<string>();
  #isBusy = false;
  #isInside = false;
  statements = 0;

  constructor(scheduler: Scheduler, random: Random, trace: Trace) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#trace = trace;
  }

  get isInside(): boolean {
    return this.#isInside;
  }

  /** The server as a machine, for steps of its clock. */
  get machine(): Machine {
    return this.#machine;
  }

  /** @param data of a server that was there before, as `dump` returned it */
  async start(data?: Blob): Promise<void> {
    this.#database = await this.#inside(() =>
      this.#scheduler.outside(() => PGlite.create({ ...(data && { loadDataDir: data }) })),
    );
  }

  async dump(): Promise<Blob> {
    return this.#inside(() => this.#database!.dumpDataDir('none'));
  }

  async stop(): Promise<void> {
    await this.#inside(() => this.#database!.close());
  }

  /** Runs statements beside all connections, for the world's own use between transactions. */
  async ask<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.#inside(async () => (await this.#database!.query<Row>(sql, values)).rows);
  }

  connect(client: Client): Session {
    const connection = new Connection(client, (unit) => {
      this.#waiting.push({ connection, unit });
      this.#next();
    });
    this.#connections.add(connection);
    return {
      receive: (bytes) => connection.take(bytes),
      close: () => this.#drop(connection),
    };
  }

  /** The system of a machine that was killed closes its connections. */
  forget(machine: Machine): void {
    for (const connection of [...this.#connections]) {
      if (connection.client.machine === machine) this.#drop(connection);
    }
  }

  #drop(connection: Connection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    this.#connections.delete(connection);
    connection.idle?.cancel();
    for (const clients of this.#listeners.values()) clients.delete(connection.client);
    if (this.#owner === connection) {
      this.#execute(simpleQuery('rollback'));
      this.#owner = null;
    }
    this.#next();
  }

  #next(): void {
    if (this.#isBusy) return;
    const place = this.#waiting.findIndex(
      ({ connection }) => this.#owner === null || connection === this.#owner,
    );
    if (place < 0) return;
    const [{ connection, unit }] = this.#waiting.splice(place, 1) as [Waiting];
    if (connection.isClosed) return this.#next();
    this.#isBusy = true;
    connection.idle?.cancel();
    this.#scheduler.afterAs(null, this.#random.latency(0.05, 1.5), () => this.#serve(connection, unit));
  }

  #serve(connection: Connection, unit: Unit): void {
    this.#isBusy = false;
    if (connection.isClosed) return this.#next();
    for (const [, channel] of unit.text.matchAll(LISTEN)) this.#listen(channel!, connection.client);
    this.statements += 1;
    const { reply, notices, status } = this.#run(connection, unit);
    this.#trace.note('sql', connection.client.machine?.name ?? '-', unit.bytes, reply);
    this.#owner = status === IDLE || connection.begin ? null : connection;
    if (this.#owner) {
      connection.idle = this.#scheduler.afterAs(null, MAX_IDLE_MS, () => {
        this.#drop(connection);
        connection.client.end();
      });
    }
    this.#send(connection.client, reply);
    for (const notice of notices) this.#notify(notice);
    this.#next();
  }

  /**
   * A transaction begins with its first statement, so that one which has only begun keeps nobody waiting. Neither does one that
   * has only the lock of migrations: those run over another connection.
   */
  #run(connection: Connection, unit: Unit): Answer {
    if (this.#owner !== connection && BEGIN.test(unit.text)) {
      connection.begin = unit.bytes;
      return { reply: BEGUN, notices: [], status: IN_TRANSACTION };
    }
    if (!connection.begin) return split(this.#execute(unit.bytes));
    if (END.test(unit.text)) {
      connection.begin = null;
      connection.hasLock = false;
      return { reply: /commit/i.test(unit.text) ? COMMITTED : ROLLED_BACK, notices: [], status: IDLE };
    }
    connection.hasLock ||= MIGRATION_LOCK.test(unit.text);
    if (connection.hasLock) {
      const answer = split(this.#execute(unit.bytes));
      answer.reply[answer.reply.length - 1] = IN_TRANSACTION;
      return answer;
    }
    this.#execute(connection.begin);
    connection.begin = null;
    return split(this.#execute(unit.bytes));
  }

  #listen(channel: string, client: Client): void {
    const clients = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, clients.add(client));
  }

  #notify(notice: Buffer): void {
    const channel = notice.toString('utf8', 9, notice.indexOf(0, 9));
    for (const client of this.#listeners.get(channel) ?? []) this.#send(client, notice);
  }

  #send(client: Client, bytes: Buffer): void {
    this.#scheduler.afterAs(client.machine, this.#random.latency(0.02, 0.5), () => client.receive(bytes));
  }

  /**
   * The connections share the statements that any of them has prepared, as through PgBouncer: the names of the service are
   * made of what the statements say.
   */
  #execute(bytes: Buffer): Buffer {
    const name = bytes[0] === PARSE ? bytes.toString('latin1', 5, bytes.indexOf(0, 5)) : '';
    if (name === '') return this.#exchange(bytes);
    if (this.#prepared.has(name)) {
      return Buffer.concat([PARSED, this.#exchange(bytes.subarray(1 + bytes.readInt32BE(1)))]);
    }
    const reply = this.#exchange(bytes);
    if (reply[0] === PARSED[0]) this.#prepared.add(name);
    return reply;
  }

  #exchange(bytes: Buffer): Buffer {
    return Buffer.from(this.#insideNow(() => this.#database!.execProtocolRawSync(bytes)));
  }

  #insideNow<Result>(run: () => Result): Result {
    this.#isInside = true;
    try {
      return this.#scheduler.as(this.#machine, run);
    } finally {
      this.#isInside = false;
    }
  }

  async #inside<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#isInside = true;
    try {
      return await this.#scheduler.as(this.#machine, run);
    } finally {
      this.#isInside = false;
    }
  }
}

/** Cuts what a client sends into what is served as a whole. */
class Connection {
  readonly client: Client;
  readonly #serve: (unit: Unit) => void;
  isClosed = false;
  idle: Scheduled | null = null;
  /** Of the transaction that has no statement yet. */
  begin: Buffer | null = null;
  /** Its transaction is there for the lock of migrations alone. */
  hasLock = false;
  #hasStarted = false;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(client: Client, serve: (unit: Unit) => void) {
    this.client = client;
    this.#serve = serve;
  }

  take(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    if (!this.#hasStarted) {
      if (this.#bytes.length < 4 || this.#bytes.length < this.#bytes.readInt32BE(0)) return;
      this.#bytes = this.#bytes.subarray(this.#bytes.readInt32BE(0));
      this.#hasStarted = true;
      this.client.receive(WELCOME);
    }
    let text = '';
    for (let end = 0; end + 5 <= this.#bytes.length;) {
      const [kind, start] = [this.#bytes[end]!, end + 5];
      end += 1 + this.#bytes.readInt32BE(end + 1);
      if (end > this.#bytes.length) return;
      if (kind === PARSE || kind === QUERY) text += `${this.#bytes.toString('utf8', start, end)};`;
      if (kind !== SYNC && kind !== QUERY && kind !== TERMINATE) continue;
      const unit = { bytes: Buffer.from(this.#bytes.subarray(0, end)), text };
      this.#bytes = this.#bytes.subarray(end);
      [end, text] = [0, ''];
      if (kind !== TERMINATE) this.#serve(unit);
    }
  }
}

function message(kind: string, ...parts: (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`);
      const number = Buffer.alloc(4);
      number.writeInt32BE(part);
      return number;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const ready = (status: number): Buffer => Buffer.from([READY, 0, 0, 0, 5, status]);
const simpleQuery = (sql: string): Buffer => message('Q', sql);

/** What a server says to whoever may connect: `AuthenticationOk`, its settings, its process, `ReadyForQuery`. */
const WELCOME = Buffer.concat([
  message('R', 0),
  message('S', 'server_version', '18.0'),
  message('S', 'client_encoding', 'UTF8'),
  message('S', 'DateStyle', 'ISO, MDY'),
  message('S', 'TimeZone', 'UTC'),
  message('S', 'integer_datetimes', 'on'),
  message('S', 'standard_conforming_strings', 'on'),
  message('K', 42, 0),
  ready(IDLE),
]);

const PARSED = message('1');
const BEGUN = Buffer.concat([message('C', 'BEGIN'), ready(IN_TRANSACTION)]);
const COMMITTED = Buffer.concat([message('C', 'COMMIT'), ready(IDLE)]);
const ROLLED_BACK = Buffer.concat([message('C', 'ROLLBACK'), ready(IDLE)]);

interface Answer {
  reply: Buffer;
  notices: Buffer[];
  /** Whether a transaction goes on. */
  status: number;
}

/** Parts an answer from the notifications in it. */
function split(answer: Buffer): Answer {
  const [parts, notices]: [Buffer[], Buffer[]] = [[], []];
  let status = IDLE;
  for (let place = 0; place < answer.length;) {
    const end = place + 1 + answer.readInt32BE(place + 1);
    const kind = answer[place];
    (kind === NOTIFICATION ? notices : parts).push(answer.subarray(place, end));
    if (kind === READY) status = answer[place + 5]!;
    place = end;
  }
  return { reply: notices.length === 0 ? answer : Buffer.concat(parts), notices, status };
}
