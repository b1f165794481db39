import type { Hex } from '../../src/lib/hex.ts';
import type { ChainModel } from './chain.ts';
import { RpcRefusal } from './evm.ts';
import type { Random } from '../random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

interface Call {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** As much of a `Response` as the provider reads. */
export interface Answer {
  status: number;
  text(): Promise<string>;
}

/** What may be wrong with an endpoint for a time, each with the probability that a request meets it. */
export interface Trouble {
  /** The request never arrives, and nothing comes back. */
  lost: number;
  /** It is carried out, and the answer is lost. */
  unanswered: number;
  /** HTTP 503. */
  refused: number;
  /** Takes some seconds. */
  slow: number;
}

export const NO_TROUBLE: Readonly<Trouble> = { lost: 0, unanswered: 0, refused: 0, slow: 0 };

/** An endpoint of JSON-RPC, over the one chain. */
export class NodeModel {
  readonly url: string;
  readonly #chain: ChainModel;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  trouble: Trouble = { ...NO_TROUBLE };
  /** Nobody answers at its port. */
  isDown = false;
  /** Its newest block, where it stands still; null: the chain's. */
  frozenAt: number | null = null;
  requests = 0;

  constructor(url: string, parts: { chain: ChainModel; random: Random; scheduler: Scheduler; trace: Trace }) {
    this.url = url;
    [this.#chain, this.#random] = [parts.chain, parts.random];
    [this.#scheduler, this.#trace] = [parts.scheduler, parts.trace];
  }

  /** Sends one HTTP request with calls, as code of the machine that asks. */
  fetch(body: string, signal: AbortSignal | null): Promise<Answer> {
    const machine = this.#scheduler.machine;
    const { trouble } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal!.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
      const answer = (status: number, text: string, ms: number): void => {
        this.#scheduler.afterAs(machine, ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve({ status, text: async () => text });
        });
      };
      const there = this.#random.latency(0.5, 15);
      if (this.isDown) {
        this.#scheduler.afterAs(machine, there, () => reject(new TypeError('fetch failed')));
        return;
      }
      const isLost = this.#random.chance(trouble.lost);
      const isUnanswered = this.#random.chance(trouble.unanswered);
      const isRefused = this.#random.chance(trouble.refused);
      const slowMs = this.#random.chance(trouble.slow) ? this.#random.whole(1_000, 12_000) : 0;
      if (isLost) return;
      if (isRefused) return answer(503, '{"error":"overloaded"}', there);
      this.#scheduler.afterAs(null, there + slowMs / 2, () => {
        void this.#serve(body).then(
          (text) => {
            this.#trace.note('rpc', machine?.name ?? '-', body, text);
            if (!isUnanswered) answer(200, text, this.#random.latency(0.5, 15) + slowMs / 2);
          },
          (error: Error) => this.#scheduler.fail(error),
        );
      });
    });
  }

  async #serve(body: string): Promise<string> {
    const calls = JSON.parse(body) as Call | Call[];
    this.requests += 1;
    if (!Array.isArray(calls)) return JSON.stringify(await this.#answer(calls));
    const answers: unknown[] = [];
    for (const call of calls) answers.push(await this.#answer(call));
    return JSON.stringify(answers);
  }

  async #answer({ id, method, params }: Call): Promise<unknown> {
    try {
      return { jsonrpc: '2.0', id, result: await this.#call(method, params) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
    }
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const chain = this.#chain;
    if (method === 'eth_sendRawTransaction') return chain.submit(params[0] as Hex);
    if (method === 'web3_clientVersion') return 'Geth/v1.16.7-stable/linux-amd64/go1.25.3';
    if (method === 'eth_blockNumber') return `0x${(this.frozenAt ?? chain.head).toString(16)}`;
    if (method === 'eth_maxPriorityFeePerGas') return '0x3b9aca00';
    if (method === 'eth_getTransactionCount' && params[1] === 'pending' && this.frozenAt === null) {
      return `0x${(await chain.pendingNonce((params[0] as string).toLowerCase() as Hex)).toString(16)}`;
    }
    const found = await chain.request<unknown>(method, this.#asOf(params));
    if (this.#isBeyond(found)) return null;
    if (method === 'eth_getTransactionByHash' && found === null) return chain.pooled(params[0] as Hex);
    return found;
  }

  /** Where it stands still, what it calls the newest block is an older one. */
  #asOf(params: readonly unknown[]): readonly unknown[] {
    const { frozenAt } = this;
    if (frozenAt === null) return params;
    return params.map((param) =>
      param === 'latest' || param === 'pending' ? `0x${frozenAt.toString(16)}` : param,
    );
  }

  /** Whether it cannot know that yet. */
  #isBeyond(found: unknown): boolean {
    if (this.frozenAt === null || typeof found !== 'object' || found === null) return false;
    const { number, blockNumber } = found as { number?: Hex; blockNumber?: Hex };
    const height = blockNumber ?? number;
    return height !== undefined && height !== null && Number(height) > this.frozenAt;
  }
}
