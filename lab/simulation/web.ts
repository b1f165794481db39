import { EventEmitter } from 'node:events';
import http from 'node:http';
import type { Received } from '../judge/history.ts';
import type { Random } from '../random.ts';
import type { Scheduler } from './scheduler.ts';

/** The receivers of webhooks in a world. */
interface Receivers {
  scheduler: Scheduler;
  random: Random;
  received: Received[];
  /** Which status a message is answered with; null: none ever. */
  answer(message: Received): number | null;
}

interface RequestOptions {
  path: string;
  headers: Record<string, string>;
  signal: AbortSignal;
}

let current: Receivers | null = null;

/** Lets requests that are made from now on lead to these receivers. */
export function enterWeb(receivers: Receivers): void {
  current = receivers;
}

/** As much of an outgoing request as the sender of webhooks uses. */
class VirtualRequest extends EventEmitter {
  readonly #options: RequestOptions;
  readonly #web = current!;
  readonly #machine = current!.scheduler.machine;

  constructor(options: RequestOptions) {
    super();
    this.#options = options;
    options.signal.addEventListener('abort', () => this.emit('error', options.signal.reason));
  }

  end(body: string): void {
    const { scheduler, random, received } = this.#web;
    const { path, headers, signal } = this.#options;
    const socket = new EventEmitter();
    this.emit('socket', socket);
    scheduler.afterAs(this.#machine, random.latency(0.5, 20), () => socket.emit('connect'));
    scheduler.afterAs(null, random.latency(20, 60), () => {
      const message = { receiver: path, at: scheduler.now, headers, body };
      const status = this.#web.answer(message);
      if (status !== null && status < 300) received.push(message);
      if (status === null) return;
      scheduler.afterAs(this.#machine, random.latency(0.5, 20), () => {
        if (!signal.aborted) this.emit('response', new VirtualAnswer(status));
      });
    });
  }
}

class VirtualAnswer {
  readonly statusCode: number;

  constructor(status: number) {
    this.statusCode = status;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {}
}

/** Comes before `installGlobals`, which makes it known to all modules. */
export function installWeb(): void {
  Object.assign(http, { request: (options: RequestOptions) => new VirtualRequest(options) });
}
