import { inTime } from '../../lib/in-time.ts';
import { noopObserver } from '../../telemetry/observe.ts';
import type { Observe } from '../../telemetry/observe.ts';
import { createAlternative } from './alternative.ts';
import type { Alternative, ChainKnowledge } from './alternative.ts';
import { createBatchLimit } from './batch-limit.ts';
import type { Call } from './batch.ts';
import { mayBeKnownElsewhere } from './classify.ts';
import { openEndpoint } from './endpoint.ts';
import { RpcRefused, RpcUnreachable } from './errors.ts';
import { createPreference } from './preference.ts';
import { createSilence } from './silence.ts';

export { RpcRefused, RpcUnreachable };

export interface Rpc {
  /**
   * Asks the endpoints for their chain. From here on an endpoint is used only when it answers for that chain and has all
   * blocks that another one has shown. Both are checked before its first use and again after each failure.
   * @throws RpcUnreachable when none answers, Error with one sentence when they answer for different chains
   */
  identify(): Promise<bigint>;
  /** From here on no batch has more calls. */
  limitBatches(maxCalls: number): void;
  /**
   * Makes one JSON-RPC call, tried at each endpoint once. All calls go to the same endpoint until it fails, and then to
   * the next one: `latest` is not the same block everywhere. They go back to an earlier one when it is fit again. Calls of
   * one turn of the event loop share one HTTP request (JSON-RPC 2.0, section 6), as far as the endpoint takes batches.
   * @throws RpcUnreachable when none answers, at the latest after 20 seconds in all (`timeoutMs` twice); RpcRefused when
   * one answers with an error, and none says more: its `kind` tells what it means
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
   * Returns the milliseconds for which every endpoint has been out of reach: since a call failed, or since one waits that
   * has waited for two seconds while no other was answered; 0 while one answers.
   */
  unreachableForMs(): number;
  /** Returns the endpoint that takes the calls: its place in `RPC_URL`, from 1. Another one than the first took its place. */
  endpointInUse(): number;
  /** Returns the number of calls by method since the start, attempts at further endpoints included. */
  counts(): Readonly<Record<string, number>>;
  /** Aborts what is under way. */
  close(): void;
}

export interface RpcOptions {
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
  const knowledge: ChainKnowledge = { chainId: null, newestBlock: 0n };
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
  const failover = createFailover(endpoints, 2 * timeoutMs, observe);
  const close = (): void => closing.abort();
  return {
    identify: async () => (knowledge.chainId = await identifyChain(endpoints)),
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
    unreachableForMs: failover.unreachableForMs,
    endpointInUse: failover.endpointInUse,
    counts: () => ({ ...counts }),
    close,
    [Symbol.dispose]: close,
  };
}

/** Tries a call at one endpoint after the other. @param timeoutMs of a call with all its tries */
function createFailover(endpoints: readonly Alternative[], timeoutMs: number, observe: Observe) {
  const preference = createPreference(endpoints);
  const silence = createSilence();

  const ask = async (index: number, call: Call): Promise<unknown> => {
    const endpoint = endpoints[index]!;
    await endpoint.assertFit();
    const details = { endpoint: index + 1 };
    return observe.step({ name: call.method, kind: 'client', partOnly: true, details }, () =>
      endpoint.ask(call),
    );
  };
  const noteAnswer = (first: number, index: number): void => {
    preference.move(first, index);
    silence.end();
  };

  const tryEach = async (
    method: string,
    params: readonly unknown[],
  ): Promise<{ answer: unknown; endpoint: number }> => {
    preference.lookBack();
    const first = preference.index;
    const askedAt = performance.now();
    /** The first refusal that is neither an answer nor that of an endpoint in trouble, and who gave it. */
    let refusal: { error: RpcRefused; index: number } | null = null;
    let failure: unknown;
    for (let left = endpoints.length; left > 0; left -= 1) {
      const index = (first + endpoints.length - left) % endpoints.length;
      // What one endpoint does not know is worth a question to another one, and not a wait for one that is down.
      if (refusal && endpoints[index]!.isDown()) continue;
      const now = performance.now();
      const shareMs = Math.max(0, (askedAt + timeoutMs - now) / left);
      const late = () => new RpcUnreachable(`${method}: no answer within ${Math.round(shareMs)} ms`);
      try {
        const asked = ask(index, { method, params, deadline: now + shareMs });
        const answer = await inTime(asked, shareMs, late);
        noteAnswer(first, refusal?.index ?? index);
        return { answer, endpoint: index + 1 };
      } catch (error) {
        failure = error;
        const refused = error instanceof RpcRefused;
        observe.rpcFailed(method, refused ? 'refused' : 'unreachable', index + 1);
        if (!refused) endpoints[index]!.distrust();
        else if (error.kind === 'limited') silence.end();
        else refusal ??= { error, index };
        if (refused && !mayBeKnownElsewhere(error.kind)) {
          noteAnswer(first, refusal?.index ?? index);
          throw error;
        }
      }
    }
    if (refusal) {
      noteAnswer(first, refusal.index);
      throw refusal.error;
    }
    if (failure instanceof RpcUnreachable) silence.begin(askedAt);
    throw failure;
  };
  const callFrom: typeof tryEach = (method, params) => silence.during(() => tryEach(method, params));

  const callEach = (method: string, params: readonly unknown[]): Promise<unknown[]> => {
    const call = { method, params, deadline: performance.now() + timeoutMs };
    const late = () => new RpcUnreachable(`${method}: no answer within ${timeoutMs} ms`);
    return answersOf(endpoints.map((_, index) => inTime(ask(index, call), timeoutMs, late)));
  };

  return {
    callFrom,
    callEach,
    endpointInUse: () => preference.index + 1,
    unreachableForMs: silence.lastsMs,
  };
}

/** Those that there are. @throws what the first one failed with, when there is none */
async function answersOf(asked: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(asked);
  const answers = ends.filter((end) => end.status === 'fulfilled').map(({ value }) => value);
  if (answers.length === 0) await asked[0];
  return answers;
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
