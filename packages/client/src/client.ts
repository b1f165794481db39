import createCore from 'openapi-fetch';
import { randomBytes } from '#random';
import type { paths } from './api.ts';
import { readBody, toError } from './answer.ts';
import { KEYLESS } from './keyless.ts';
import { paginate } from './paginate.ts';
import { send } from './send.ts';
import type { Arguments, CallOptions, Caller, EntryOf, Method, PagedPath, Result, Schemas } from './types.ts';
import { waitForIntent } from './wait-for-intent.ts';
import type { WaitOptions } from './wait-for-intent.ts';

export interface ClientOptions {
  /** Where the service is: `https://mint.example.org`. */
  baseUrl: string;
  /** An access token (`mta_...`) from `POST /auth/signin`, or a function that gets a valid one for each call. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** An API key: `mtk_...`, or `mts_...` for the sandbox. */
  apiKey?: string | undefined;
  /**
   * Value of the session cookie, for programs: see `readSession`. Browsers send their own, to the page's own origin.
   */
  session?: string | undefined;
  /** Milliseconds for a call with all its retries and waiting; 300,000 by default. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds for one request; 90,000 by default. Keep it above the time that the service waits for the chain, which
   * is a minute unless its operator says otherwise.
   */
  attemptTimeoutMs?: number | undefined;
  /** Requests after the first one: after 429, 503 and broken connections. 5 by default, which take some 8 seconds. */
  maxRetries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Calls to one service. The methods take the paths of the contract, with their parameters and bodies. */
export interface MintmarkClient {
  GET: Caller<'get'>;
  POST: Caller<'post'>;
  PUT: Caller<'put'>;
  PATCH: Caller<'patch'>;
  DELETE: Caller<'delete'>;
  /**
   * Asks for a write until it is confirmed.
   * @param id `intentId` of a result or of an error, or `data.id` of a webhook's message
   * @throws MintmarkError what the write failed with, CONFLICT when it was cancelled, TIMEOUT while it is under way
   */
  waitForIntent(id: string, options?: WaitOptions): Promise<Schemas['Intent']>;
  /**
   * Every entry of a list, page after page: `for await (const token of mintmark.paginate('/tokens'))`. A page has 100
   * entries unless `params.query.limit` says otherwise, and is asked for when the one before is used up.
   */
  paginate<Path extends PagedPath>(
    path: Path,
    ...init: Arguments<paths[Path]['get'], true>
  ): AsyncGenerator<EntryOf<Path>, void, undefined>;
}

const TIMEOUT_MS = 300_000;
const ATTEMPT_TIMEOUT_MS = 90_000;
const USUAL_RETRIES = 5;
const MAX_RETRIES = 1_000;
/** What timers take, some 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const KEY_BYTES = 16;

interface AnyInit extends CallOptions {
  params?: object;
  body?: unknown;
}

/** Any operation, for openapi-fetch; the types of each are those of `MintmarkClient`. */
interface AnyOperation {
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { content: { 'text/plain': string } }; 500: { content: { 'text/plain': unknown } } };
}
type AnyPaths = Record<string, Record<Method, AnyOperation>>;

/**
 * A client of one service, with one credential or none.
 * @throws TypeError for a `baseUrl` that is none, for two credentials, for a number out of its bounds
 */
export function createClient(options: ClientOptions): MintmarkClient {
  checkOptions(options);
  const { timeoutMs: usualTimeoutMs = TIMEOUT_MS } = options;
  const { request } = createCore<AnyPaths>({ baseUrl: options.baseUrl });

  async function call<Body, IntentId extends string | null>(
    method: Method,
    path: string,
    init: unknown,
  ): Promise<Result<Body, IntentId>> {
    const {
      idempotencyKey,
      wait = true,
      timeoutMs = usualTimeoutMs,
      signal,
      ...asked
    } = (init ?? {}) as AnyInit;
    checkNumber('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
    const deadline = performance.now() + timeoutMs;
    const key = chooseKey(method, path, idempotencyKey);
    const credential = await credentialOf(options);
    const { data, error, response } = await request(method, path, {
      ...asked,
      headers: { ...credential, ...(key === null ? {} : { 'Idempotency-Key': key }) },
      parseAs: 'text',
      fetch: (complete: Request) =>
        send(complete, {
          fetch: options.fetch ?? ((url, requestInit) => fetch(url, requestInit)),
          maxRetries: options.maxRetries ?? USUAL_RETRIES,
          attemptTimeoutMs: options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
          isRepeatable: method === 'get' || key !== null,
          deadline,
          wait,
          signal,
        }),
    });
    if (!response.ok) throw toError(response, error, key);
    return {
      data: readBody(data, response, key) as Body,
      // As the contract has it: every answer to a write to the chain names its intent.
      intentId: response.headers.get('Intent-Id') as IntentId,
      response,
    };
  }

  const client: MintmarkClient = {
    GET: (path, ...[init]) => call('get', path, init),
    POST: (path, ...[init]) => call('post', path, init),
    PUT: (path, ...[init]) => call('put', path, init),
    PATCH: (path, ...[init]) => call('patch', path, init),
    DELETE: (path, ...[init]) => call('delete', path, init),
    waitForIntent: (id, { timeoutMs = usualTimeoutMs, signal } = {}) =>
      waitForIntent(client.GET, id, { timeoutMs, signal }),
    paginate: (path, ...[init]) => paginate((query) => call('get', path, query), init),
  };
  return client;
}

/**
 * Value of the session cookie that `POST /v1/auth/register` and `POST /v1/auth/login` set, for the option `session`;
 * null without one, as in browsers, which keep it to themselves.
 */
export function readSession(response: Response): string | null {
  return /(?:^|, )service_session=([^;,]+)/.exec(response.headers.get('Set-Cookie') ?? '')?.[1] ?? null;
}

function checkOptions(options: ClientOptions): void {
  const { baseUrl, token, apiKey, session, timeoutMs, attemptTimeoutMs, maxRetries } = options;
  if (!/^https?:\/\/[^/?#]+(\/[^?#]*)?$/.test(baseUrl)) {
    throw new TypeError(`baseUrl must be like https://mint.example.org, and is ${JSON.stringify(baseUrl)}`);
  }
  const given = Object.entries({ token, apiKey, session }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    throw new TypeError(`Give one credential: ${given.map(([name]) => name).join(' and ')} are given`);
  }
  checkNumber('timeoutMs', timeoutMs, MAX_TIMEOUT_MS);
  checkNumber('attemptTimeoutMs', attemptTimeoutMs, MAX_TIMEOUT_MS);
  checkNumber('maxRetries', maxRetries, MAX_RETRIES);
}

function checkNumber(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (value >= 0 && value <= max)) return;
  throw new TypeError(`${name} must be a number from 0 to ${max}, and is ${String(value)}`);
}

async function credentialOf({ token, apiKey, session }: ClientOptions): Promise<Record<string, string>> {
  if (session !== undefined) return { Cookie: `service_session=${session}` };
  const bearer = apiKey ?? (typeof token === 'function' ? await token() : token);
  return bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
}

/**
 * Key of a write; null for reads, and for the few writes that take none.
 * @throws TypeError when a key is given for one of these
 */
function chooseKey(method: Method, path: string, given: string | undefined): string | null {
  const takesKey = method !== 'get' && !KEYLESS.has(`${method} ${path}`);
  if (takesKey) return given ?? createKey();
  if (given === undefined) return null;
  throw new TypeError(`${method.toUpperCase()} ${path} takes no idempotencyKey`);
}

const createKey = (): string =>
  Array.from(randomBytes(KEY_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
