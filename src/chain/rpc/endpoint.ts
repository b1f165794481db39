import { createBatcher } from '../../lib/batcher.ts';
import { linkAbort } from '../../lib/linked-abort.ts';

/** No endpoint answered. Whether the call had an effect is unknown. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** An endpoint answered with an error. */
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

const MAX_BATCH_CALLS = 100;
const MAX_CONCURRENT_BATCHES = 16;
const MAX_CONCURRENT_SINGLES = 64;
/** After a batch failed as a whole, calls are sent one by one for this time: the endpoint may refuse batches. */
const SINGLES_AFTER_FAILURE_MS = 30_000;

export interface Call {
  method: string;
  params: readonly unknown[];
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { code?: number; message?: string; data?: unknown };
}

/** Returns a function that sends calls, those of one turn of the event loop in one batch. */
export function openEndpoint(
  url: string,
  timeoutMs: number,
  closing: AbortSignal,
): (call: Call) => Promise<unknown> {
  const endpoint = parseEndpoint(url);
  let singlesUntil = 0;
  const sendInBatch = createBatcher<Call, unknown>(
    async (calls) => {
      try {
        return await exchange(endpoint, calls, timeoutMs, closing);
      } catch (error) {
        if (calls.length > 1) singlesUntil = Date.now() + SINGLES_AFTER_FAILURE_MS;
        throw error;
      }
    },
    { maxItems: MAX_BATCH_CALLS, concurrency: MAX_CONCURRENT_BATCHES },
  );
  const sendSingle = createBatcher<Call, unknown>((calls) => exchange(endpoint, calls, timeoutMs, closing), {
    maxItems: 1,
    concurrency: MAX_CONCURRENT_SINGLES,
  });
  return (call) => (Date.now() < singlesUntil ? sendSingle(call) : sendInBatch(call));
}

interface Endpoint {
  address: string;
  headers: Record<string, string>;
  /** Removes from a text what may be a key: an endpoint's error can repeat its own URL. */
  hide(text: string): string;
}

/** Shorter parts of a URL, such as `v2` or `rpc`, are not keys. */
const MIN_KEY_LENGTH = 8;

/** Parses an endpoint's URL. User and password go into a header: fetch refuses a URL with them, and its error shows it. */
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
    hide: (text) => keys.reduce((shown, key) => shown.replaceAll(key, '…'), text),
  };
}

/** Makes one HTTP request. Returns a result or an error for each call. @throws RpcUnreachable when it failed as a whole */
async function exchange(
  endpoint: Endpoint,
  calls: readonly Call[],
  timeoutMs: number,
  closing: AbortSignal,
): Promise<unknown[]> {
  const ending = linkAbort(closing);
  const timer = setTimeout(() => ending.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return matchAnswers(calls, await post(endpoint, calls, ending.signal), endpoint);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    throw new RpcUnreachable(
      endpoint.hide(
        `${calls[0]?.method}: ${error instanceof Error ? error.message : String(error)} ${cause}`,
      ),
    );
  } finally {
    clearTimeout(timer);
    ending.release();
  }
}

async function post(
  { address, headers }: Endpoint,
  calls: readonly Call[],
  signal: AbortSignal,
): Promise<Answer[]> {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await fetch(address, {
    method: 'POST',
    headers,
    body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
    signal,
  });
  const body = (await response.json()) as Answer | Answer[];
  const answers = Array.isArray(body) ? body : [body];
  if (!response.ok && !answers.some(({ error }) => error)) throw new Error(`HTTP ${response.status}`);
  return answers;
}

/** Returns the result or the error of each call. Answers of a batch may come in any order. */
function matchAnswers(calls: readonly Call[], answers: readonly Answer[], { hide }: Endpoint): unknown[] {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(({ method }, id) => {
    // A server that fails as a whole gives one error without an id.
    const answer = byId.get(id) ?? answers.find(({ error }) => error);
    if (!answer) return new RpcUnreachable(`${method}: the endpoint did not answer the call`);
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
