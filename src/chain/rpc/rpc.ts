import type { Hex } from '../../lib/hex.ts';
import { noopObserver } from '../../telemetry/observe.ts';
import type { Observe } from '../../telemetry/observe.ts';
import { createAlternative } from './alternative.ts';
import type { Alternative } from './alternative.ts';
import { createBatchLimit } from './batch-limit.ts';
import type { Call } from './batch.ts';
import { openEndpoint } from './endpoint.ts';
import { OtherChain, RpcRefused, RpcUnreachable, unlessRefused } from './errors.ts';
import { createFailover } from './failover.ts';
import { createKnowledge } from './knowledge.ts';

export { OtherChain, RpcRefused, RpcUnreachable, unlessRefused };

export interface Rpc {
  /**
   * Asks the endpoints for their chain. From here on an endpoint is used only when it answers for that chain and has
   * all blocks that another one has shown. Both are checked before its first use and again after each failure.
   * @throws RpcUnreachable when none answers, Error with one sentence when they answer for different chains
   */
  identify(): Promise<bigint>;
  /** From here on an endpoint with another genesis block is not used either. */
  expectGenesis(hash: Hex): void;
  /**
   * From here on an endpoint whose newest block lacks this contract is not used either: it was reset to the same
   * genesis block.
   */
  expectContract(address: Hex): void;
  /** From here on no batch has more calls. */
  limitBatches(maxCalls: number): void;
  /**
   * Makes one JSON-RPC call, tried at each endpoint once. `eth_chainId` asks whether the chain is there, genesis block
   * and contract included. All calls go to the same endpoint until it fails, and then to the next one: `latest` is not
   * the same block everywhere. While calls are made, all endpoints are looked at every three seconds: one that is of
   * another chain, or eight seconds behind another one, is left, and gone back to when it is fit again. Calls of one
   * turn of the event loop share one HTTP request (JSON-RPC 2.0, section 6), as far as the endpoint takes batches. A
   * signed transaction goes to all endpoints, and the answer is that of the first one.
   * @throws RpcUnreachable when none answers, at the latest after 20 seconds in all (`timeoutMs` twice); RpcRefused
   * when one answers with an error, and none says more: its `kind` tells what it means
   */
  call<T>(method: string, params: readonly unknown[]): Promise<T>;
  /** As `call`, and tells which endpoint answered: its place in `RPC_URL`, from 1. */
  callFrom<T>(method: string, params: readonly unknown[]): Promise<{ answer: T; endpoint: number }>;
  /**
   * Makes one JSON-RPC call at every endpoint that is fit for use. Returns the answers that there are, one at least.
   * @throws what `call` throws, when no endpoint answers
   */
  callEach<T>(method: string, params: readonly unknown[]): Promise<T[]>;
  /**
   * Asks one endpoint after the other, from the one in use on, until an answer fits, and goes on with that one. Returns
   * whether there is one.
   * @param above an endpoint that shows no block above this one counts only while no other one is ahead of it: it may
   * stand still
   * @throws RpcUnreachable or RpcRefused when none answers
   */
  choose<T>(
    method: string,
    params: readonly unknown[],
    above: bigint,
    fits: (answer: T) => boolean,
  ): Promise<boolean>;
  /** What the endpoint in use answers does not fit together: the next one takes its calls, if it is fit. */
  leave(): void;
  /** Returns a sentence for the operator while no endpoint answers because they are of another chain; else null. */
  otherChain(): string | null;
  /**
   * Returns the milliseconds for which every endpoint has been out of reach: since a call failed, or since one waits
   * that has waited for two seconds while no other was answered; 0 while one answers.
   */
  unreachableForMs(): number;
  /**
   * Returns the endpoint that takes the calls: its place in `RPC_URL`, from 1. Another one than the first took its
   * place.
   */
  endpointInUse(): number;
  /** Returns the number of calls by method since the start, attempts at further endpoints included. */
  counts(): Readonly<Record<string, number>>;
  /** Aborts what is under way. */
  close(): void;
}

interface RpcOptions {
  /** Milliseconds that one HTTP request may take. */
  timeoutMs?: number;
  observe?: Observe;
}

const TIMEOUT_MS = 10_000;
/** Before the profile of the chain says how many it may be. */
const MAX_BATCH_CALLS = 100;

/** Opens JSON-RPC endpoints for one chain; several URLs are alternatives for one another. */
export function createRpc(
  urls: readonly string[],
  { timeoutMs = TIMEOUT_MS, observe = noopObserver }: RpcOptions = {},
): Rpc & Disposable {
  const closing = new AbortController();
  const knowledge = createKnowledge();
  const counts: Record<string, number> = {};
  const limits = urls.map(() => createBatchLimit(MAX_BATCH_CALLS));
  const endpoints = urls.map((url, index) => {
    const send = openEndpoint(url, { timeoutMs, limit: limits[index]!, closing: closing.signal });
    const count = (call: Call): Promise<unknown> => {
      counts[call.method] = (counts[call.method] ?? 0) + 1;
      return send(call);
    };
    return createAlternative(count, knowledge, { isOnly: urls.length === 1, timeoutMs });
  });
  const failover = createFailover(endpoints, knowledge, 2 * timeoutMs, observe);
  const close = (): void => closing.abort();
  return {
    identify: async () => (knowledge.chainId = await identifyChain(endpoints)),
    expectGenesis: (hash) => {
      knowledge.genesisHash = hash;
    },
    expectContract: (address) => {
      knowledge.contract = address;
    },
    limitBatches: (maxCalls) => {
      for (const limit of limits) limit.setMax(maxCalls);
    },
    call: async <T>(method: string, params: readonly unknown[]) =>
      (await failover.callFrom(method, params)).answer as T,
    callFrom: async <T>(method: string, params: readonly unknown[]) => {
      const { answer, endpoint } = await failover.callFrom(method, params);
      return { answer: answer as T, endpoint };
    },
    callEach: async <T>(method: string, params: readonly unknown[]) =>
      (await failover.callEach(method, params)) as T[],
    choose: async <T>(
      method: string,
      params: readonly unknown[],
      above: bigint,
      fits: (answer: T) => boolean,
    ) => failover.choose({ method, params, above, fits }),
    leave: failover.leave,
    otherChain: failover.otherChain,
    unreachableForMs: failover.unreachableForMs,
    endpointInUse: failover.endpointInUse,
    counts: () => ({ ...counts }),
    close,
    [Symbol.dispose]: close,
  };
}

async function identifyChain(endpoints: readonly Alternative[]): Promise<bigint> {
  const answers = await Promise.allSettled(endpoints.map((endpoint) => endpoint.chainId()));
  const chains = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null));
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
