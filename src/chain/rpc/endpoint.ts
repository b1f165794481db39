import { createBatcher } from '../../lib/batcher.ts';
import { linkAbort } from '../../lib/linked-abort.ts';
import { BatchRefused, decodeReply, encodeCalls } from './batch.ts';
import type { Call, Reply } from './batch.ts';
import type { BatchLimit } from './batch-limit.ts';
import { RpcUnreachable } from './errors.ts';

const MAX_CONCURRENT_BATCHES = 16;
const MAX_CONCURRENT_SINGLES = 64;

interface EndpointOptions {
  /** Milliseconds that one HTTP request may take. */
  timeoutMs: number;
  /** How many calls one batch may have. */
  limit: BatchLimit;
  /** Aborts what is under way. */
  closing: AbortSignal;
}

/**
 * Returns a function that sends calls, those of one turn of the event loop in one batch. A batch that the endpoint
 * refuses as a whole is halved, down to single calls, and what it takes is remembered for the next ones.
 */
export function openEndpoint(
  url: string,
  { timeoutMs, limit, closing }: EndpointOptions,
): (call: Call) => Promise<unknown> {
  const endpoint = parseEndpoint(url);
  const sendBatch = async (calls: readonly Call[]): Promise<unknown[]> => {
    try {
      const answers = await exchange(endpoint, calls, timeoutMs, closing);
      if (answers.some((answer) => answer instanceof BatchRefused)) limit.refused(calls.length);
      else limit.answered(calls.length);
      return answers;
    } catch (error) {
      if (calls.length > 1) limit.lost();
      throw error;
    }
  };
  const run = async (group: readonly Call[]): Promise<unknown[]> => {
    const late = new Set(group.filter(({ deadline }) => deadline <= performance.now()));
    const calls = group.filter((call) => !late.has(call));
    const answers = (calls.length > 0 ? await sendBatch(calls) : []).values();
    return group.map((call) => (late.has(call) ? expire(call) : answers.next().value));
  };
  const submit = createBatcher<Call, unknown>(run, {
    get maxItems() {
      return limit.size;
    },
    get concurrency() {
      return limit.size === 1 ? MAX_CONCURRENT_SINGLES : MAX_CONCURRENT_BATCHES;
    },
  });
  return async (call) => {
    for (;;) {
      try {
        return await submit(call);
      } catch (error) {
        // Ends: each refusal halves the limit, and a call that travels alone is not refused in this way.
        if (!(error instanceof BatchRefused)) throw error;
      }
    }
  };
}

const expire = ({ method }: Call): RpcUnreachable =>
  new RpcUnreachable(`${method}: the endpoint had no time for the call`);

interface Endpoint {
  address: string;
  headers: Record<string, string>;
  /** Removes from a text what may be a key: an endpoint's error can repeat its own URL. */
  hide(text: string): string;
}

/** Shorter parts of a URL, such as `v2` or `rpc`, are not keys. */
const MIN_KEY_LENGTH = 8;

/**
 * Parses an endpoint's URL. User and password go into a header: fetch refuses a URL with them, and its error shows it.
 */
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

/**
 * Makes one HTTP request. Returns a result or an error for each call. @throws RpcUnreachable when it failed as a whole
 */
async function exchange(
  endpoint: Endpoint,
  calls: readonly Call[],
  timeoutMs: number,
  closing: AbortSignal,
): Promise<unknown[]> {
  const ending = linkAbort(closing);
  const timer = setTimeout(() => ending.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return decodeReply(calls, await post(endpoint, calls, ending.signal), endpoint.hide);
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
): Promise<Reply> {
  const response = await fetch(address, {
    method: 'POST',
    headers,
    body: encodeCalls(calls),
    // Elsewhere nobody is trusted about receipts, and the key of the URL is none of its business.
    redirect: 'error',
    signal,
  });
  return { status: response.status, text: await response.text() };
}
