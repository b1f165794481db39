import { isGatewayError, readRetryAfter } from './answer.ts';
import { MintmarkError } from './errors.ts';
import { pause } from './pause.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How one call is carried out, with all its requests. */
export interface Call {
  fetch: Fetch;
  /** Requests after the first one; those that follow a 202 do not count. */
  maxRetries: number;
  /** Milliseconds that one request may take. */
  attemptTimeoutMs: number;
  /** On the clock of `performance.now()`. */
  deadline: number;
  /** Whether a request that may have been carried out can be sent again: a read, or a write with a key. */
  isRepeatable: boolean;
  /** Whether a 202 is followed to its end. */
  wait: boolean;
  signal: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 8_000;
/** The service has waited already when it answers 202, so this is for one that was told not to. */
const FOLLOW_PAUSE_MS = 1_000;

/** What came of one request. */
type Outcome = { response: Response } | { cause: unknown; isLate: boolean };

/**
 * Sends a request until it has its answer: again after 429, 503 and a broken connection, and after a 202, when the
 * service has not waited long enough.
 * @throws MintmarkError CONNECTION_FAILED, TIMEOUT; the signal's reason once it is aborted
 */
export async function send(request: Request, call: Call): Promise<Response> {
  const { method, url, headers } = request;
  const body = request.body === null ? null : await request.text();
  for (let retries = 0; ;) {
    // A redirect would turn a POST into a GET, and its answer into that of another operation.
    const outcome = await attempt(url, { method, headers, body, redirect: 'manual' }, call);
    const isOpen = 'response' in outcome && outcome.response.status === 202 && call.wait;
    const pauseMs = isOpen ? FOLLOW_PAUSE_MS : pauseBeforeRetry(outcome, retries, call);
    const isOver = pauseMs === null || performance.now() + pauseMs >= call.deadline;
    if (isOver) return conclude(outcome, isOpen, headers.get('Idempotency-Key'));
    await pause(pauseMs, call.signal);
    if (!isOpen) retries += 1;
  }
}

/** Milliseconds until the request may be sent again; null when its outcome is what the caller gets. */
function pauseBeforeRetry(outcome: Outcome, retries: number, call: Call): number | null {
  if (retries >= call.maxRetries || !isRetried(outcome, call)) return null;
  const seconds = 'response' in outcome ? readRetryAfter(outcome.response) : null;
  if (seconds !== null) return seconds * 1_000;
  const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
  // So that clients that failed together do not come back together.
  return longest * (0.5 + Math.random() / 2);
}

function isRetried(outcome: Outcome, { isRepeatable }: Call): boolean {
  if (!('response' in outcome)) return isRepeatable;
  const { response } = outcome;
  // Whatever an accepted write ended in stays so under its key.
  if (response.headers.has('Intent-Id')) return false;
  if (isGatewayError(response)) return isRepeatable;
  // Of the conflicts only the one with a request under the same key that is not accepted yet has a `Retry-After`.
  if (response.status === 409) return response.headers.has('Retry-After');
  return response.status === 429 || response.status === 503;
}

function conclude(outcome: Outcome, isOpen: boolean, idempotencyKey: string | null): Response {
  if (!('response' in outcome)) {
    const what = outcome.isLate ? 'No answer came in time' : 'The service cannot be reached';
    const advice = idempotencyKey === null ? '' : '; to be sure, call again with the same idempotencyKey';
    throw new MintmarkError(`${what}${advice}`, {
      code: outcome.isLate ? 'TIMEOUT' : 'CONNECTION_FAILED',
      idempotencyKey,
      cause: outcome.cause,
    });
  }
  const { response } = outcome;
  if (!isOpen) return response;
  throw new MintmarkError('The write is accepted and still under way; follow it with waitForIntent', {
    code: 'TIMEOUT',
    status: response.status,
    requestId: response.headers.get('X-Request-Id'),
    intentId: response.headers.get('Intent-Id'),
    idempotencyKey,
  });
}

/** One request, with its answer to the last byte: so a connection that breaks within a body counts as broken. */
async function attempt(url: string, init: RequestInit, call: Call): Promise<Outcome> {
  const { signal } = call;
  signal?.throwIfAborted();
  const ending = new AbortController();
  const abort = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      ending.abort();
    },
    Math.min(call.attemptTimeoutMs, Math.max(0, call.deadline - performance.now())),
  );
  try {
    const response = await call.fetch(url, { ...init, signal: ending.signal });
    await response.clone().arrayBuffer();
    return { response };
  } catch (cause) {
    signal?.throwIfAborted();
    return { cause, isLate };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
