import type { Machine, Scheduled } from './scheduler.ts';

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
export interface Unit {
  bytes: Buffer;
  text: string;
}

const QUERY = 0x51;
export const PARSE = 0x50;
const SYNC = 0x53;
const TERMINATE = 0x58;
const READY = 0x5a;
const NOTIFICATION = 0x41;
export const IDLE = 0x49;
export const IN_TRANSACTION = 0x54;

/** Cuts what a client sends into what is served as a whole. */
export class Connection {
  readonly client: Client;
  readonly #serve: (unit: Unit) => void;
  isClosed = false;
  /** What it is asked arrives nowhere, and is answered by nobody. */
  isSilent = false;
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
    if (this.isSilent) return;
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
export const simpleQuery = (sql: string): Buffer => message('Q', sql);

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

export const PARSED = message('1');
export const BEGUN = Buffer.concat([message('C', 'BEGIN'), ready(IN_TRANSACTION)]);
export const COMMITTED = Buffer.concat([message('C', 'COMMIT'), ready(IDLE)]);
export const ROLLED_BACK = Buffer.concat([message('C', 'ROLLBACK'), ready(IDLE)]);

export interface Answer {
  reply: Buffer;
  notices: Buffer[];
  /** Whether a transaction goes on. */
  status: number;
}

/** Parts an answer from the notifications in it. */
export function split(answer: Buffer): Answer {
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
