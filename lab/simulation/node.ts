import type { BatchRule, Forward, Layer, RpcReply, RpcRequest } from '../proxies/rpc/endpoint.ts';
import type { Random } from '../random.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { ChainModel } from './chain.ts';
import { RpcRefusal } from './evm.ts';
import type { Scheduler } from './scheduler.ts';
import type { Trace } from './trace.ts';

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
  /** Takes two or three. */
  late: number;
}

/** Who answers behind an endpoint: one of several, chosen for each HTTP request. */
export interface Backend {
  chain: ChainModel;
  /** Its newest block; null: the chain's. */
  newest(): number | null;
  /** The probability that it is the one that is asked. */
  part: number;
}

type Served = { status: number; text: string } | 'drop';

/**
 * An endpoint of JSON-RPC over the chain, and what is wrong with it now: every fault takes back what it added alone.
 */
export class NodeModel {
  readonly url: string;
  readonly #random: Random;
  readonly #scheduler: Scheduler;
  readonly #trace: Trace;
  readonly #chain: ChainModel;
  readonly troubles = new Set<Partial<Trouble>>();
  /** Faults for which nobody answers at its port: no engine, or one alone. */
  readonly downs = new Set<{ engine: string | null }>();
  /** Those that are not the chain as it is. */
  readonly strays = new Set<Backend>();
  /** The first one meets a call first. */
  readonly layers = new Set<Layer>();
  readonly batchRules = new Set<BatchRule>();
  requests = 0;

  constructor(url: string, parts: { chain: ChainModel; random: Random; scheduler: Scheduler; trace: Trace }) {
    this.url = url;
    [this.#chain, this.#random] = [parts.chain, parts.random];
    [this.#scheduler, this.#trace] = [parts.scheduler, parts.trace];
  }

  /** Sends one HTTP request with calls, as code of the machine that asks. */
  fetch(body: string, signal: AbortSignal | null): Promise<Answer> {
    const machine = this.#scheduler.machine;
    const random = this.#random;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal!.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
      const fail = (ms: number): void =>
        void this.#scheduler.afterAs(machine, ms, () => reject(new TypeError('fetch failed')));
      const answer = (status: number, text: string, ms: number): void => {
        this.#scheduler.afterAs(machine, ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve({ status, text: async () => text });
        });
      };
      const there = random.latency(0.5, 15);
      const isCut = [...this.downs].some(({ engine }) => engine === null || engine === machine?.name);
      if (isCut) return fail(there);
      const meets = (kind: keyof Trouble): boolean =>
        random.chance(Math.max(0, ...[...this.troubles].map((trouble) => trouble[kind] ?? 0)));
      const [isLost, isUnanswered, isRefused] = [meets('lost'), meets('unanswered'), meets('refused')];
      const lateMs = meets('late') ? random.whole(2_000, 3_000) : 0;
      const slowMs = meets('slow') ? random.whole(1_000, 12_000) : lateMs;
      if (isLost) return;
      if (isRefused) return answer(503, '{"error":"overloaded"}', there);
      this.#scheduler.afterAs(null, there + slowMs / 2, () => {
        void this.#serve(body).then(
          (served) => {
            const text = served === 'drop' ? served : served.text;
            this.#trace.note('rpc', machine?.name ?? '-', body, text);
            if (isUnanswered) return;
            const back = random.latency(0.5, 15) + slowMs / 2;
            if (served === 'drop') fail(back);
            else answer(served.status, served.text, back);
          },
          (error: Error) => this.#scheduler.fail(error),
        );
      });
    });
  }

  async #serve(body: string): Promise<Served> {
    const asked = JSON.parse(body) as RpcRequest | RpcRequest[];
    const requests = Array.isArray(asked) ? asked : [asked];
    this.requests += 1;
    for (const rule of this.batchRules) {
      const refused = Array.isArray(asked) ? rule(requests) : null;
      if (refused) return { status: refused.status, text: textOf(refused.body) };
    }
    const backend = [...this.strays].find(({ part }) => this.#random.chance(part));
    const answers: unknown[] = [];
    const direct: Forward = (request) => this.#answer(request, backend);
    const forward = [...this.layers].reduceRight<Forward>(
      (next, layer) => (request) => layer(request, next),
      direct,
    );
    for (const request of requests) {
      const answer = await forward(request);
      if (answer === 'drop') return answer;
      if (typeof answer === 'number') return { status: answer, text: '' };
      answers.push({ jsonrpc: '2.0', id: request.id, ...answer });
    }
    return { status: 200, text: JSON.stringify(Array.isArray(asked) ? answers : answers[0]) };
  }

  async #answer({ method, params }: RpcRequest, backend?: Backend): Promise<RpcReply> {
    const { chain = this.#chain } = backend ?? {};
    try {
      return { result: await askAt(chain, backend?.newest() ?? null, method, params) };
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Ten million wei: a higher one would carry a bid through most base fees of a world. */
const TIP = '0x989680';

/** @param newest the block that it takes for the newest; null: the chain's */
export async function askAt(
  chain: ChainModel,
  newest: number | null,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  if (method === 'eth_sendRawTransaction') return chain.submit(params[0] as Hex);
  if (method === 'web3_clientVersion') return 'Geth/v1.16.7-stable/linux-amd64/go1.25.3';
  if (method === 'eth_blockNumber') return `0x${(newest ?? chain.head).toString(16)}`;
  if (method === 'eth_maxPriorityFeePerGas') return TIP;
  if (method === 'eth_getTransactionCount' && params[1] === 'pending' && newest === null) {
    return `0x${(await chain.pendingNonce((params[0] as string).toLowerCase() as Hex)).toString(16)}`;
  }
  const found = await chain.request<unknown>(method, asOf(newest, params));
  if (isBeyond(newest, found)) return null;
  if (method === 'eth_getTransactionByHash' && found === null) return chain.pooled(params[0] as Hex);
  return found;
}

/** Where it stands still, what it calls the newest block is an older one. */
function asOf(newest: number | null, params: readonly unknown[]): readonly unknown[] {
  if (newest === null) return params;
  return params.map((param) =>
    param === 'latest' || param === 'pending' ? `0x${newest.toString(16)}` : param,
  );
}

/** Whether it cannot know that yet. */
function isBeyond(newest: number | null, found: unknown): boolean {
  if (newest === null || typeof found !== 'object' || found === null) return false;
  const { number, blockNumber } = found as { number?: Hex; blockNumber?: Hex };
  const height = blockNumber ?? number;
  return height !== undefined && height !== null && Number(height) > newest;
}
