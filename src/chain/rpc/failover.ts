import { inTime } from '../../lib/in-time.ts';
import type { Observe } from '../../telemetry/observe.ts';
import type { Alternative } from './alternative.ts';
import type { Call } from './batch.ts';
import { mayBeKnownElsewhere } from './classify.ts';
import { OtherChain, RpcRefused, RpcUnreachable } from './errors.ts';
import type { ChainKnowledge } from './knowledge.ts';
import { createPreference } from './preference.ts';
import type { Preference } from './preference.ts';
import { createSilence } from './silence.ts';
import type { Silence } from './silence.ts';
import { createWatch } from './watch.ts';
import type { Watch } from './watch.ts';

/** Tries a call at one endpoint after the other. @param timeoutMs of a call with all its tries */
export function createFailover(
  endpoints: readonly Alternative[],
  knowledge: ChainKnowledge,
  timeoutMs: number,
  observe: Observe,
) {
  const preference = createPreference(endpoints);
  const watch = createWatch(endpoints, knowledge, preference);
  const silence = createSilence();
  /** Why none of them answers, when that is because they are of another chain. */
  const other: { chain: string | null } = { chain: null };
  const ask = async (index: number, call: Call): Promise<unknown> => {
    const endpoint = endpoints[index]!;
    await endpoint.assertFit();
    const details = { endpoint: index + 1 };
    const asked = observe.step({ name: call.method, kind: 'client', partOnly: true, details }, () =>
      endpoint.ask(call),
    );
    if (call.method !== 'eth_chainId') return asked;
    // Nobody works with its answer: who asks for no more wants to know whether the chain is there.
    return (await Promise.all([asked, endpoint.checkChain(asked)]))[0];
  };
  const noteAnswer = (first: number, index: number): void => {
    preference.move(first, index);
    silence.end();
    other.chain = null;
  };
  const parts = { endpoints, preference, watch, silence, other, timeoutMs, observe, ask, noteAnswer };

  const callFrom = async (
    method: string,
    params: readonly unknown[],
  ): Promise<{ answer: unknown; endpoint: number }> => {
    try {
      return await silence.during(() => askInTurn(parts, method, params));
    } finally {
      // The one that took a transaction may keep it to itself. Not sooner: from the same pool it would be refused as
      // known.
      if (method === 'eth_sendRawTransaction') spread(preference.index, params);
    }
  };
  const spread = (but: number, params: readonly unknown[]): void => {
    const call = { method: 'eth_sendRawTransaction', params, deadline: performance.now() + timeoutMs };
    for (const [index, endpoint] of endpoints.entries())
      if (index !== but && !endpoint.isDown()) void ask(index, call).catch(() => undefined);
  };

  const callEach = (method: string, params: readonly unknown[]): Promise<unknown[]> => {
    const call = { method, params, deadline: performance.now() + timeoutMs };
    const late = () => new RpcUnreachable(`${method}: no answer within ${timeoutMs} ms`);
    return answersOf(endpoints.map((_, index) => inTime(ask(index, call), timeoutMs, late)));
  };

  return {
    callFrom,
    callEach,
    choose: (asked: Choice) =>
      chooseOne(
        endpoints,
        preference.index,
        { ...asked, isBehind: knowledge.isBehind, timeoutMs },
        noteAnswer,
      ),
    leave: () => {
      const { index } = preference;
      endpoints[index]!.distrust();
      preference.move(index, (index + 1) % endpoints.length);
    },
    endpointInUse: () => preference.index + 1,
    otherChain: () => other.chain,
    unreachableForMs: silence.lastsMs,
  };
}

/** What a call is tried with. */
interface Parts {
  endpoints: readonly Alternative[];
  preference: Preference;
  watch: Watch;
  silence: Silence;
  other: { chain: string | null };
  timeoutMs: number;
  observe: Observe;
  ask(index: number, call: Call): Promise<unknown>;
  noteAnswer(first: number, index: number): void;
}

/** See `Rpc.call`. */
async function askInTurn(
  { endpoints, preference, watch, silence, other, timeoutMs, observe, ask, noteAnswer }: Parts,
  method: string,
  params: readonly unknown[],
): Promise<{ answer: unknown; endpoint: number }> {
  // That one alone is looked at by itself.
  if (method !== 'eth_chainId') watch.noteCall();
  const first = preference.index;
  const askedAt = performance.now();
  /** The first refusal that is neither an answer nor that of an endpoint in trouble, and who gave it. */
  let refusal: { error: RpcRefused; index: number } | null = null;
  let failure: unknown;
  let areOther = true;
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
      areOther &&= error instanceof OtherChain;
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
  other.chain = areOther ? (failure as OtherChain).message : null;
  if (failure instanceof RpcUnreachable) silence.begin(askedAt);
  throw failure;
}

interface Choice extends Pick<Call, 'method' | 'params'> {
  above: bigint;
  fits(answer: unknown): boolean;
}

/** See `Rpc.choose`. @param first the endpoint that is asked first */
async function chooseOne(
  endpoints: readonly Alternative[],
  first: number,
  asked: Choice & { isBehind(block: bigint): boolean; timeoutMs: number },
  take: (first: number, index: number) => void,
): Promise<boolean> {
  const { method, params, above, isBehind, timeoutMs, fits } = asked;
  const late = () => new RpcUnreachable(`${method}: no answer within ${timeoutMs} ms`);
  const ask = async (endpoint: Alternative): Promise<{ answer: unknown; height: bigint }> => {
    // What does not fit may be of another chain since the last look. Calls of one turn are one batch, which one backend
    // answers: by the height of another one, one that stands still would count.
    const looked = endpoint.look();
    const answered = endpoint.ask({ method, params, deadline: performance.now() + timeoutMs });
    // Whether it is of another chain says more than that it refuses.
    answered.catch(() => undefined);
    return { height: await looked, answer: await answered };
  };
  let hasAnswer = false;
  let failure: unknown;
  for (let step = 0; step < endpoints.length; step += 1) {
    const index = (first + step) % endpoints.length;
    try {
      const { answer, height } = await inTime(ask(endpoints[index]!), timeoutMs, late);
      hasAnswer = true;
      if (!fits(answer) || (height <= above && isBehind(height))) continue;
      take(first, index);
      return true;
    } catch (error) {
      failure = error;
      if (error instanceof RpcUnreachable) endpoints[index]!.distrust();
    }
  }
  if (!hasAnswer) throw failure;
  return false;
}

/** Those that there are. @throws when there is none, a refusal if there is one, or what the first one failed with */
async function answersOf(asked: readonly Promise<unknown>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(asked);
  const answers = ends.filter((end) => end.status === 'fulfilled').map(({ value }) => value);
  const failures = ends.filter((end) => end.status === 'rejected').map(({ reason }): unknown => reason);
  if (answers.length === 0) throw failures.find((failure) => failure instanceof RpcRefused) ?? failures[0];
  return answers;
}
