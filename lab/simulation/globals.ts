import crypto from 'node:crypto';
import type { BinaryLike, ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { Answer } from './node.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { Scheduler } from './scheduler.ts';
import type { Scheduled } from './scheduler.ts';

/** What a world gives to code that knows nothing of it. */
export interface Environment {
  scheduler: Scheduler;
  /** Of identifiers, keys and the like. */
  entropy: Random;
  fetch(url: string, init: { body: string; signal?: AbortSignal }): Promise<Answer>;
  /** Whether the database server runs: its timers belong to nobody. */
  isInServer(): boolean;
}

/** Milliseconds that pass for a turn of the event loop, so that code which waits for a moment by turns gets there. */
const TURN_MS = 0.01;

/** A timer as Node gives it, as much of it as libraries use. */
class VirtualTimer {
  readonly #start: () => Scheduled;
  #scheduled: Scheduled;

  constructor(start: () => Scheduled) {
    this.#start = start;
    this.#scheduled = start();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#scheduled.cancel();
    this.#scheduled = this.#start();
    return this;
  }

  close(): this {
    this.#scheduled.cancel();
    return this;
  }

  /** For an interval: the next time. */
  again(): void {
    this.#scheduled = this.#start();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Of what is loaded before the first world. */
let current: Environment = {
  scheduler: new Scheduler(),
  entropy: createRandom('before all worlds'),
  isInServer: () => false,
  fetch: () => Promise.reject(new TypeError('fetch failed')),
};

/** Lets all that is loaded later live in the world that `enter` names. */
export function installGlobals(): void {
  const real = { Date, setTimeout, setInterval, setImmediate, now: performance.now.bind(performance) };
  const milliseconds = (): number => Math.floor(current.scheduler.wallClock);

  const virtualDate = new Proxy(real.Date, {
    construct: (target, given: [], newTarget) =>
      Reflect.construct(target, given.length === 0 ? [milliseconds()] : given, newTarget) as object,
    apply: () => new real.Date(milliseconds()).toString(),
    get: (target, name, receiver) => {
      if (name !== 'now') return Reflect.get(target, name, receiver) as unknown;
      // PostgreSQL counts microseconds.
      return current.isInServer() ? () => current.scheduler.wallClock : milliseconds;
    },
  });
  const later = (ms: number | undefined, run: () => void): Scheduled => {
    if (current.isInServer()) return { cancel: () => undefined };
    return current.scheduler.after(Math.max(Number(ms) || 0, 1), run);
  };
  const virtualTimeout = (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
    new VirtualTimer(() => later(ms, () => run(...given)));
  const virtualInterval = (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const timer = new VirtualTimer(() =>
      later(ms, () => {
        timer.again();
        run(...given);
      }),
    );
    return timer;
  };
  const virtualImmediate = (run: (...given: unknown[]) => void, ...given: unknown[]) =>
    new VirtualTimer(() => current.scheduler.after(TURN_MS, () => run(...given)));
  const clear = (timer?: VirtualTimer): void => void timer?.close();

  const onTimers = {
    setTimeout: virtualTimeout,
    setInterval: virtualInterval,
    setImmediate: virtualImmediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, onTimers, { Date: virtualDate, fetch: fetchInWorld });
  Object.assign(timers, onTimers);
  Object.assign(timersPromises, {
    setTimeout: (ms?: number, value?: unknown, options: { signal?: AbortSignal } = {}) =>
      sleep((run) => virtualTimeout(run, ms), value, options),
    setImmediate: (value?: unknown, options: { signal?: AbortSignal } = {}) =>
      sleep(virtualImmediate, value, options),
  });
  Object.defineProperty(performance, 'now', {
    value: () => current.scheduler.monotonicClock,
    configurable: true,
  });
  installEntropy();
  syncBuiltinESMExports();
}

const fetchInWorld: Environment['fetch'] = (url, init) => current.fetch(url, init);

function installEntropy(): void {
  const randomFill = <View extends ArrayBufferView>(view: View): View => {
    current.entropy.fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  };
  const randomBytes = (size: number, callback?: (error: null, bytes: Buffer) => void): Buffer | void => {
    const bytes = randomFill(Buffer.alloc(size));
    if (!callback) return bytes;
    setTimeout(() => callback(null, bytes));
  };
  const randomUUID = (): string => {
    const bytes = randomFill(Buffer.alloc(16));
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
  const randomInt = (first: number, second?: number): number =>
    second === undefined ? current.entropy.whole(0, first - 1) : current.entropy.whole(first, second - 1);
  const { scryptSync } = crypto;
  // Threads of Node's pool keep no time of the world.
  const scrypt = (
    password: BinaryLike,
    salt: BinaryLike,
    length: number,
    options: ScryptOptions,
    callback: (error: null, key: Buffer) => void,
  ): void => void setTimeout(() => callback(null, scryptSync(password, salt, length, options)));
  Object.assign(crypto, { scrypt, randomBytes, randomUUID, randomInt, randomFillSync: randomFill });
  Object.assign(Math, { random: () => current.entropy.fraction() });
  Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: randomFill, configurable: true });
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: randomUUID, configurable: true });
}

/** Makes a world that of all code that runs from now on. */
export function enterWorld(environment: Environment): void {
  current = environment;
}

/** A promise of `node:timers/promises`. */
function sleep<Value>(
  start: (run: () => void) => VirtualTimer,
  value: Value,
  { signal }: { signal?: AbortSignal },
): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    const onAbort = (): void => {
      timer.close();
      reject(aborted(signal!));
    };
    const timer = start(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** As Node has it. */
function aborted(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

/** For code of the simulation that hashes outside of any world. */
export const digest = (text: BinaryLike): string => crypto.createHash('sha256').update(text).digest('hex');
