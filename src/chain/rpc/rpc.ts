import { setTimeout as sleep } from 'node:timers/promises';
import { noopObserver } from '../../telemetry/observe.ts';
import type { Observe } from '../../telemetry/observe.ts';
import { RpcRefused, RpcUnreachable, openEndpoint } from './endpoint.ts';
import type { Call } from './endpoint.ts';

export { RpcRefused, RpcUnreachable };

export interface Rpc {
  /**
   * Finds out which chain it is. From here on an endpoint is used only when it answers for that chain, and has seen all
   * blocks that another one has shown; both are looked at before its first use, and again after each failure of it.
   * @throws RpcUnreachable when none answers, Error with one sentence when they answer for different chains.
   */
  identify(): Promise<bigint>;
  /**
   * One JSON-RPC call, tried at each endpoint once. All calls go to one endpoint for as long as that answers, and to the
   * next one from its first failure on: `latest` is not the same block everywhere. Calls of one turn of the event loop
   * travel in one HTTP request (JSON-RPC 2.0, section 6), except for 30 seconds after such a request failed.
   * @throws RpcUnreachable when none answers, RpcRefused when one answers with an error.
   */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** Milliseconds since every endpoint has been out of reach; 0 while one answers. */
  unreachableForMs(): number;
  /** Calls by method since the start, attempts at further endpoints included. */
  counts(): Readonly<Record<string, number>>;
  /** Breaks off what is under way. */
  close(): void;
}

const TIMEOUT_MS = 10_000;
/** An endpoint that is still behind after so long is believed; less than what gives up on a chain out of reach. */
const LAG_TIMEOUT_MS = 8_000;
/** A look at an endpoint that takes so long is taken anew beside it, for every other call waits for it. */
const SLOW_LOOK_MS = 1_000;
/** EIP-1474's and geth's codes for limits and inner trouble: the endpoint cannot answer, another one may. */
const ENDPOINT_TROUBLE = new Set([-32_005, -32_603, -32_097]);

/** One of the URLs, and what is known of it. */
interface Alternative {
  ask(call: Call): Promise<unknown>;
  /** Resolves when it may be used; null while that has to be found out (again). */
  fit: Promise<void> | null;
  /** Since when, in milliseconds, it is known to be behind. */
  lagsSince: number | null;
}

/** Opens JSON-RPC endpoints for one chain; several URLs are alternatives for one another. */
export function createRpc(
  urls: readonly string[],
  { timeoutMs = TIMEOUT_MS, observe = noopObserver }: { timeoutMs?: number; observe?: Observe } = {},
): Rpc {
  const closing = new AbortController();
  const endpoints = urls.map((url): Alternative => ({
    ask: openEndpoint(url, timeoutMs, closing.signal),
    fit: null,
    lagsSince: null,
  }));
  /** Null: any chain will do. */
  let expected: bigint | null = null;
  /** Number of the newest block that any endpoint has shown. */
  let newest = 0n;
  let preferred = 0;
  let unreachableSince: number | null = null;
  let answeredAt = 0;
  const noteAnswer = (): void => {
    unreachableSince = null;
    answeredAt = Date.now();
  };
  const counts: Record<string, number> = {};

  const ask = async (endpoint: Alternative, call: Call): Promise<unknown> => {
    counts[call.method] = (counts[call.method] ?? 0) + 1;
    const answer = await endpoint.ask(call);
    newest = max(newest, blockOf(call, answer));
    return answer;
  };
  /** An endpoint that was out of reach may be another node when it is back. @throws RpcUnreachable */
  const check = async (endpoint: Alternative): Promise<void> => {
    const chain = BigInt((await ask(endpoint, { method: 'eth_chainId', params: [] })) as string);
    if (chain !== expected) throw new Error(`the endpoint answers for chain ${chain}, not ${expected}`);
    if (endpoints.length === 1) return;
    const known = newest;
    const number = BigInt((await ask(endpoint, { method: 'eth_blockNumber', params: [] })) as string);
    if (number < known) {
      endpoint.lagsSince ??= Date.now();
      if (Date.now() - endpoint.lagsSince < LAG_TIMEOUT_MS)
        throw new Error(`the endpoint is at block ${number}, behind block ${known}`);
      // Nobody lags for so long: the chain has lost blocks.
      newest = number;
    }
    endpoint.lagsSince = null;
  };
  const assertFit = async (endpoint: Alternative): Promise<void> => {
    try {
      await (endpoint.fit ??= askAgainWhenSlow(() => check(endpoint)));
    } catch (error) {
      throw new RpcUnreachable(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    identify: async () => {
      const asked = await Promise.allSettled(
        endpoints.map((endpoint) => ask(endpoint, { method: 'eth_chainId', params: [] })),
      );
      const chains = asked.map((answer) =>
        answer.status === 'fulfilled' ? BigInt(answer.value as string) : null,
      );
      const known = chains.find((chain) => chain !== null) ?? null;
      if (known === null) throw asked.find((answer) => answer.status === 'rejected')!.reason;
      const other = chains.findIndex((chain) => chain !== null && chain !== known);
      if (other >= 0) {
        const [first, second] = [chains.indexOf(known) + 1, other + 1];
        throw new Error(
          `RPC_URL names endpoints of different chains: number ${first} answers for chain ${known}, number ${second} for chain ${chains[other]}; keep those of one chain`,
        );
      }
      expected = known;
      return known;
    },
    call: async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      const first = preferred;
      const askedAt = Date.now();
      let failure: unknown;
      for (let turn = 0; turn < endpoints.length; turn += 1) {
        const index = (first + turn) % endpoints.length;
        const endpoint = endpoints[index]!;
        try {
          if (expected !== null) await assertFit(endpoint);
          const step = {
            name: method,
            kind: 'client',
            partOnly: true,
            details: { endpoint: index + 1 },
          } as const;
          const answer = (await observe.step(step, () => ask(endpoint, { method, params }))) as T;
          if (preferred === first) preferred = index;
          noteAnswer();
          return answer;
        } catch (error) {
          failure = error;
          const refused = error instanceof RpcRefused;
          observe.rpcFailed(method, refused ? 'refused' : 'unreachable', index + 1);
          if (refused && !ENDPOINT_TROUBLE.has(error.rpcCode ?? 0)) {
            if (preferred === first) preferred = index;
            noteAnswer();
            throw error;
          }
          if (!refused) endpoint.fit = null;
        }
      }
      // An endpoint that takes a call and never answers has been out of reach since it was asked.
      if (failure instanceof RpcUnreachable) unreachableSince ??= Math.max(askedAt, answeredAt);
      throw failure;
    },
    unreachableForMs: () => (unreachableSince === null ? 0 : Date.now() - unreachableSince),
    counts: () => ({ ...counts }),
    close: () => closing.abort(),
  };
}

/** The first answer of one or more askings: another one begins each second until then. */
async function askAgainWhenSlow(ask: () => Promise<void>): Promise<void> {
  const asked = [ask()];
  const waiting = Symbol('waiting');
  while ((await Promise.race([...asked, sleep(SLOW_LOOK_MS, waiting, { ref: false })])) === waiting) {
    asked.push(ask());
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Number of the newest block, where a call asked for that; else 0. */
function blockOf({ method, params }: Call, answer: unknown): bigint {
  if (method === 'eth_blockNumber') return BigInt(answer as string);
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return 0n;
  return BigInt((answer as { number?: string } | null)?.number ?? 0);
}
