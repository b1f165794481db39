import { PGlite } from '@electric-sql/pglite';
import { enterWorld } from './globals.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { Scheduler, createMachine } from './scheduler.ts';
import type { Machine } from './scheduler.ts';
import { drawEachByte, restoreSnapshot, takeSnapshot } from './snapshot.ts';
import type { Snapshot } from './snapshot.ts';
import type { Trace } from './trace.ts';
import {
  BEGUN,
  COMMITTED,
  Connection,
  IDLE,
  IN_TRANSACTION,
  PARSE,
  PARSED,
  ROLLED_BACK,
  simpleQuery,
  split,
} from './wire.ts';
import type { Answer, Client, Session, Unit } from './wire.ts';

/** A savepoint of Knex, which counts them over all worlds of a process, and the length of its message. */
const SAVEPOINT = /Q[\s\S]{4}((?:ROLLBACK TO |RELEASE )?(?:SAVEPOINT )?trx)\d+/g;

function withoutCounts(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  return text.includes('trx') ? Buffer.from(text.replaceAll(SAVEPOINT, 'Q$1'), 'latin1') : bytes;
}

interface Waiting {
  connection: Connection;
  unit: Unit;
}

const BEGIN = /^\s*begin\s*;/i;
const END = /^\s*(commit|rollback)\s*;/i;
const MIGRATION_LOCK = /pg_try_advisory_xact_lock\(hashtext\('mintmark migrations'\)\)/;
/**
 * `idle_in_transaction_session_timeout` of src/db/connection.ts, which the server in this process has no timers for.
 */
const MAX_IDLE_MS = 5_000;
const LISTEN = /\blisten\s+"?([a-z_:]+)"?/gi;

/**
 * A server that has started with some data, as it was then. Worlds go on from there, one after another, without a
 * start.
 */
export interface Image {
  data: Blob;
  database: PGlite;
  snapshot: Snapshot;
}

let image: Image | null = null;

/**
 * The same for every world, whichever is the first one in this process: with a clock and random numbers of its own.
 * Comes before a world is entered.
 * @param data of a server that was there before, as `dump` returned it
 */
export async function openImage(data: Blob): Promise<Image> {
  if (image?.data === data) return image;
  const [scheduler, entropy] = [new Scheduler(), createRandom('image')];
  const fetch = (): Promise<never> => Promise.reject(new TypeError('fetch failed'));
  enterWorld({ scheduler, entropy, isInServer: () => true, fetch });
  const database = await PGlite.create({ loadDataDir: data });
  drawEachByte(database);
  // Its library has to be loaded by then: what is in memory of one is lost else, and the loader does not know.
  await database.exec('do $$ begin end $$');
  image = { data, database, snapshot: takeSnapshot(database) };
  return image;
}

/** What is left of a server at some moment. */
export interface Copy {
  snapshot: Snapshot;
  prepared: ReadonlySet<string>;
  isInTransaction: boolean;
}

/**
 * A PostgreSQL server in this process: the real one, compiled to WebAssembly, with real SQL, constraints and
 * transactions. It has one session, so the transactions of its clients run one after another: one that has begun keeps
 * all others waiting. What that cannot show (locks, deadlocks, `skip locked`, the order of commits) is tested on a real
 * server.
 */
export class PostgresServer {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #machine = createMachine('postgres');
  readonly #listeners = new Map<string, Set<Client>>();
  readonly #waiting: Waiting[] = [];
  #database: PGlite | null = null;
  /** Whose transaction goes on. */
  #owner: Connection | null = null;
  readonly #connections = new Set<Connection>();
  readonly #prepared = new Set<string>();
  #isBusy = false;
  #isInside = false;
  #isSilent = false;
  /** Nobody listens at its port. */
  isDown = false;
  /** Notifications go nowhere. */
  losesNotifications = false;
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

  /** @param from where it goes on; without one it is empty */
  async start(from: Image | null): Promise<void> {
    if (from) restoreSnapshot(from.database, from.snapshot);
    this.#database =
      from?.database ?? (await this.#inside(() => this.#scheduler.outside(() => PGlite.create())));
  }

  async dump(): Promise<Blob> {
    return this.#inside(() => this.#database!.dumpDataDir('none'));
  }

  /** What an asynchronous replica would have now. */
  copy(): Copy {
    return {
      snapshot: takeSnapshot(this.#database!),
      prepared: new Set(this.#prepared),
      isInTransaction: this.#owner !== null,
    };
  }

  /** Goes on as a replica that was behind: what was committed since the copy is lost, and every connection. */
  failOver({ snapshot, prepared, isInTransaction }: Copy): void {
    this.crash();
    restoreSnapshot(this.#database!, snapshot);
    this.#prepared.clear();
    for (const name of prepared) this.#prepared.add(name);
    if (isInTransaction) this.#execute(simpleQuery('rollback'));
  }

  /** All connections end at once, with what they had begun. What is committed stays. */
  crash(): void {
    for (const connection of [...this.#connections]) this.#end(connection);
  }

  /** The open connections get no answer any more, and those that are opened before `hear` neither. */
  fallSilent(): void {
    this.#isSilent = true;
    for (const connection of this.#connections) connection.isSilent = true;
  }

  hear(): void {
    this.#isSilent = false;
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
    connection.isSilent = this.#isSilent;
    this.#connections.add(connection);
    if (this.isDown) this.#scheduler.afterAs(client.machine, 0, () => this.#end(connection));
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

  #end(connection: Connection): void {
    if (connection.isClosed) return;
    this.#drop(connection);
    const { client } = connection;
    this.#scheduler.afterAs(client.machine, this.#random.latency(0.02, 0.5), () => client.end());
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
    this.#trace.note('sql', connection.client.machine?.name ?? '-', withoutCounts(unit.bytes), reply);
    this.#owner = status === IDLE || connection.begin ? null : connection;
    if (this.#owner) {
      connection.idle = this.#scheduler.afterAs(null, MAX_IDLE_MS, () => this.#end(connection));
    }
    if (!connection.isSilent) this.#send(connection.client, reply);
    for (const notice of notices) this.#notify(notice);
    this.#next();
  }

  /**
   * A transaction begins with its first statement, so that one which has only begun keeps nobody waiting. Neither does
   * one that has only the lock of migrations: those run over another connection.
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
    if (this.losesNotifications) return;
    const channel = notice.toString('utf8', 9, notice.indexOf(0, 9));
    for (const client of this.#listeners.get(channel) ?? []) this.#send(client, notice);
  }

  #send(client: Client, bytes: Buffer): void {
    this.#scheduler.afterAs(client.machine, this.#random.latency(0.02, 0.5), () => client.receive(bytes));
  }

  /**
   * The connections share the statements that any of them has prepared, as through PgBouncer: the names of the service
   * are made of what the statements say.
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
    const chunks: Uint8Array[] = [];
    const onRawData = (chunk: Uint8Array): void => void chunks.push(chunk.slice());
    // All of it comes within the call. The call that returns it parses it besides, for a sixteenth of the CPU of a
    // world.
    this.#insideNow(() => {
      const done = this.#database!.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
      done.catch((error: Error) => this.#scheduler.fail(error));
    });
    return Buffer.concat(chunks);
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
