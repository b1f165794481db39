import { noopObserver } from '../../telemetry/observe.ts';
import type { Observe } from '../../telemetry/observe.ts';
import { createAlternative } from './alternative.ts';
import type { Alternative, ChainKnowledge } from './alternative.ts';
import type { Call } from './batch.ts';
import { mayBeKnownElsewhere } from './classify.ts';
import { openEndpoint } from './endpoint.ts';
import { RpcRefused, RpcUnreachable } from './errors.ts';

export { RpcRefused, RpcUnreachable };

export interface Rpc {
  /**
   * Asks the endpoints for their chain. From here on an endpoint is used only when it answers for that chain and has all
   * blocks that another one has shown. Both are checked before its first use and again after each failure.
   * @throws RpcUnreachable when none answers, Error with one sentence when they answer for different chains
   */
  identify(): Promise<bigint>;
  /**
   * Makes one JSON-RPC call, tried at each endpoint once. All calls go to the same endpoint until it fails, and then to
   * the next one: `latest` is not the same block everywhere. Calls of one turn of the event loop share one HTTP request
   * (JSON-RPC 2.0, section 6), as far as the endpoint takes batches.
   * @throws RpcUnreachable when none answers, RpcRefused when one answers with an error
   */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** Returns the milliseconds since every endpoint has been out of reach; 0 while one answers. */
  unreachableForMs(): number;
  /** Returns the number of calls by method since the start, attempts at further endpoints included. */
  counts(): Readonly<Record<string, number>>;
  /** Aborts what is under way. */
  close(): void;
}

export interface RpcOptions {
  /** Milliseconds that one HTTP request may take. */
  timeoutMs?: number;
  /** Calls in one batch, at most. */
  maxBatchCalls?: number;
  observe?: Observe;
}

const TIMEOUT_MS = 10_000;
const MAX_BATCH_CALLS = 100;

/** Opens JSON-RPC endpoints for one chain; several URLs are alternatives for one another. */
export function createRpc(
  urls: readonly string[],
  { timeoutMs = TIMEOUT_MS, maxBatchCalls = MAX_BATCH_CALLS, observe = noopObserver }: RpcOptions = {},
): Rpc {
  const closing = new AbortController();
  const knowledge: ChainKnowledge = { chainId: null, newestBlock: 0n };
  const counts: Record<string, number> = {};
  const endpoints = urls.map((url) => {
    const send = openEndpoint(url, { timeoutMs, maxBatchCalls, closing: closing.signal });
    const count = (call: Call): Promise<unknown> => {
      counts[call.method] = (counts[call.method] ?? 0) + 1;
      return send(call);
    };
    return createAlternative(count, knowledge, urls.length === 1);
  });
  let preferred = 0;
  let unreachableSince: number | null = null;
  let answeredAt = 0;

  const callOne = async (index: number, call: Call): Promise<unknown> => {
    const endpoint = endpoints[index]!;
    await endpoint.assertFit();
    const details = { endpoint: index + 1 };
    return observe.step({ name: call.method, kind: 'client', partOnly: true, details }, () =>
      endpoint.ask(call),
    );
  };

  return {
    identify: async () => (knowledge.chainId = await identifyChain(endpoints)),
    call: async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      const first = preferred;
      const askedAt = performance.now();
      const noteAnswer = (index: number): void => {
        if (preferred === first) preferred = index;
        unreachableSince = null;
        answeredAt = performance.now();
      };
      let failure: unknown;
      for (let turn = 0; turn < endpoints.length; turn += 1) {
        const index = (first + turn) % endpoints.length;
        try {
          const answer = await callOne(index, { method, params, deadline: Infinity });
          noteAnswer(index);
          return answer as T;
        } catch (error) {
          failure = error;
          const refused = error instanceof RpcRefused;
          observe.rpcFailed(method, refused ? 'refused' : 'unreachable', index + 1);
          if (refused && !mayBeKnownElsewhere(error.kind)) {
            noteAnswer(index);
            throw error;
          }
          if (!refused) endpoints[index]!.distrust();
        }
      }
      // An endpoint that takes a call and never answers has been out of reach since it was asked.
      if (failure instanceof RpcUnreachable) unreachableSince ??= Math.max(askedAt, answeredAt);
      throw failure;
    },
    unreachableForMs: () => (unreachableSince === null ? 0 : performance.now() - unreachableSince),
    counts: () => ({ ...counts }),
    close: () => closing.abort(),
  };
}

async function identifyChain(endpoints: readonly Alternative[]): Promise<bigint> {
  const answers = await Promise.allSettled(
    endpoints.map((endpoint) => endpoint.ask({ method: 'eth_chainId', params: [], deadline: Infinity })),
  );
  const chains = answers.map((answer) =>
    answer.status === 'fulfilled' ? BigInt(answer.value as string) : null,
  );
  const known = chains.find((chain) => chain !== null) ?? null;
  if (known === null) throw answers.find((answer) => answer.status === 'rejected')!.reason;
  const other = chains.findIndex((chain) => chain !== null && chain !== known);
  if (other >= 0) {
    const [first, second] = [chains.indexOf(known) + 1, other + 1];
    throw new Error(
      `RPC_URL names endpoints of different chains: number ${first} answers for chain ${known}, number ${second} for chain ${chains[other]}; keep those of one chain`,
    );
  }
  return known;
}
