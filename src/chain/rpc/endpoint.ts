import { createBatcher } from '../../lib/batcher.ts';
import { linkAbort } from '../../lib/linked-abort.ts';

/** No endpoint answered: nothing is known about the call, least of all that it had no effect. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** An endpoint answered, and its answer is an error. */
export class RpcRefused extends Error {
  override readonly name = 'RpcRefused';
  readonly rpcCode: number | undefined;
  /** Revert data, when the node gave it. */
  readonly data: string | undefined;
  constructor(message: string, rpcCode: number | undefined, data: string | undefined) {
    super(message);
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

const MAX_IN_A_BATCH = 100;
const MAX_BATCHES_AT_ONCE = 16;
/** After a batch broke, an endpoint that refuses batches or fails now and then gets single calls for so long. */
const ALONE_MS = 30_000;
const MAX_ALONE_AT_ONCE = 64;

export interface Call {
  method: string;
  params: readonly unknown[];
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { code?: number; message?: string; data?: unknown };
}

/** Calls of one turn travel together, until that fails: then each travels alone for a while, so that none fails for another. */
export function openEndpoint(
  url: string,
  timeoutMs: number,
  closing: AbortSignal,
): (call: Call) => Promise<unknown> {
  const endpoint = parseEndpoint(url);
  let aloneUntil = 0;
  const together = createBatcher<Call, unknown>(
    async (calls) => {
      try {
        return await exchange(endpoint, calls, timeoutMs, closing);
      } catch (error) {
        if (calls.length > 1) aloneUntil = Date.now() + ALONE_MS;
        throw error;
      }
    },
    { maxItems: MAX_IN_A_BATCH, concurrency: MAX_BATCHES_AT_ONCE },
  );
  const alone = createBatcher<Call, unknown>((calls) => exchange(endpoint, calls, timeoutMs, closing), {
    maxItems: 1,
    concurrency: MAX_ALONE_AT_ONCE,
  });
  return (call) => (Date.now() < aloneUntil ? alone(call) : together(call));
}

interface Endpoint {
  address: string;
  headers: Record<string, string>;
  /** Takes what may be a key out of a text: an endpoint's error can repeat its own URL. */
  hide(text: string): string;
}

/** Shorter parts of a URL, such as `v2` or `rpc`, are no keys. */
const MIN_KEY_LENGTH = 8;

/** Reads an endpoint's URL. User and password go into a header: fetch takes no URL with them, and says it aloud. */
function parseEndpoint(url: string): Endpoint {
  const { origin, pathname, search, searchParams, username, password } = new URL(url);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const keys = [username, password, ...pathname.split('/'), ...searchParams.values()].filter(
    (part) => part.length >= MIN_KEY_LENGTH,
  );
  return {
    address: origin + pathname + search,
    headers: {
      'content-type': 'application/json',
      ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
    },
    hide: (text) => keys.reduce((rest, key) => rest.replaceAll(key, '…'), text),
  };
}

/** One HTTP request; answers a result or an error for each call. @throws RpcUnreachable when it broke as a whole. */
async function exchange(
  { address, headers, hide }: Endpoint,
  calls: readonly Call[],
  timeoutMs: number,
  closing: AbortSignal,
): Promise<unknown[]> {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  let answers: Answer[];
  const ending = linkAbort(closing);
  const timer = setTimeout(() => ending.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      signal: ending.signal,
    });
    const body = (await response.json()) as Answer | Answer[];
    answers = Array.isArray(body) ? body : [body];
    if (!response.ok && !answers.some(({ error }) => error)) throw new Error(`HTTP ${response.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    throw new RpcUnreachable(
      hide(`${calls[0]?.method}: ${error instanceof Error ? error.message : String(error)} ${cause}`),
    );
  } finally {
    clearTimeout(timer);
    ending.release();
  }
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(({ method }, id) => {
    // A server that fails as a whole answers one error without an id.
    const answer = byId.get(id) ?? answers.find(({ error }) => error);
    if (!answer) return new RpcUnreachable(`${method}: the endpoint left the call without an answer`);
    if (!answer.error) return answer.result;
    const { code, message = 'an error without a message', data } = answer.error;
    return new RpcRefused(hide(message), code, revertData(data));
  });
}

/** geth and anvil give revert data as a string, Hardhat inside an object. */
function revertData(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (typeof data === 'object' && data !== null && 'data' in data && typeof data.data === 'string')
    return data.data;
  return undefined;
}
