import net from 'node:net';
import type { PostgresServer } from './postgres.ts';
import type { Scheduler } from './scheduler.ts';
import type { Session } from './wire.ts';

export interface Network {
  scheduler: Scheduler;
  postgres: PostgresServer;
  /** Milliseconds until a connection stands. */
  connectMs(): number;
}

let current: Network | null = null;

/** Lets sockets that are opened from now on lead into this world. */
export function enterNetwork(network: Network): void {
  current = network;
}

/** A socket without a system beneath it, that leads to the world's database server wherever it is said to lead. */
class VirtualSocket extends net.Socket {
  readonly #world = current!;
  #session: Session | null = null;
  #written = 0;
  #idle: NodeJS.Timeout | null = null;
  #idleMs = 0;
  #touchedAt = 0;

  constructor() {
    super();
    // In Node it is an accessor, which the types do not know.
    Object.defineProperty(this, 'bytesWritten', { get: () => this.#written });
  }

  override connect(): this {
    const machine = this.#world.scheduler.machine;
    setTimeout(() => {
      if (this.destroyed) return;
      this.#session = this.#world.postgres.connect({
        machine,
        receive: (bytes) => {
          this.#touch();
          this.push(bytes);
        },
        end: () => this.destroy(),
      });
      this.emit('connect');
    }, this.#world.connectMs());
    return this;
  }

  override _write(bytes: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    const data = typeof bytes === 'string' ? Buffer.from(bytes, encoding) : bytes;
    this.#written += data.length;
    this.#touch();
    this.#session?.receive(data);
    done();
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: () => void): void {
    for (const { chunk, encoding } of chunks) this._write(chunk, encoding, () => undefined);
    done();
  }

  override _read(): void {}

  override _final(done: () => void): void {
    this.#session?.close();
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#session?.close();
    if (this.#idle) clearTimeout(this.#idle);
    done(error);
    // Node's own sockets do that by themselves too.
    process.nextTick(() => this.emit('close', error !== null));
  }

  override setTimeout(ms: number): this {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    this.#idleMs = ms;
    this.#touch();
    return this;
  }

  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  override ref(): this {
    return this;
  }

  override unref(): this {
    return this;
  }

  #touch(): void {
    this.#touchedAt = performance.now();
    if (this.#idle === null && this.#idleMs > 0) this.#watch(this.#idleMs);
  }

  /** One timer for all that is received and sent: a new one for each would be a twentieth of the events of a world. */
  #watch(ms: number): void {
    this.#idle = setTimeout(() => {
      const leftMs = this.#touchedAt + this.#idleMs - performance.now();
      if (leftMs > 0) return this.#watch(leftMs);
      this.#idle = null;
      this.emit('timeout');
    }, ms);
  }
}

/** Puts the socket in the place of Node's. Comes before `installGlobals`, which makes it known to all modules. */
export function installSockets(): void {
  Object.assign(net, { Socket: VirtualSocket });
}
