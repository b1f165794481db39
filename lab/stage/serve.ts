import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createApp } from '../../src/http/app.ts';
import type { AppOptions } from '../../src/http/app.ts';
import { createHttpServer } from '../../src/http/limits.ts';
import type { ServerLimits } from '../../src/http/limits.ts';
import type { Principal } from '../../src/http/operation.ts';
import { noopObserver } from '../../src/telemetry/observe.ts';

export const ADDRESS = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
export const INTENT_ID = '3a2cf1f6-90dd-4ecb-aa84-46042086a99b';
export const TRANSACTION = {
  hash: `0x${'ab'.repeat(32)}`,
  explorerUrl: `http://127.0.0.1/explorer/tx/0x${'ab'.repeat(32)}`,
};

const profile = { id: INTENT_ID, email: 'alice@example.com', plan: 'BASIC', walletAddress: null } as const;
const principal = {
  accountId: 'a',
  email: profile.email,
  plan: profile.plan,
  credentialId: 'c',
  sessionId: null,
};

/** One credential of every kind, by its secret. */
export const CREDENTIALS: Record<string, Principal> = {
  session: { ...principal, kind: 'session', environment: 'live' },
  access: { ...principal, kind: 'access_token', environment: 'live' },
  live: { ...principal, kind: 'api_key', environment: 'live' },
  sandbox: { ...principal, kind: 'api_key', environment: 'sandbox' },
  second: { ...principal, credentialId: 'd', kind: 'access_token', environment: 'live' },
  otherLive: { ...principal, accountId: 'b', credentialId: 'f', kind: 'api_key', environment: 'live' },
  other: { ...principal, accountId: 'b', credentialId: 'e', kind: 'access_token', environment: 'live' },
};

const byHash = new Map(
  Object.entries(CREDENTIALS).map(([secret, credential]) => [
    createHash('sha256').update(secret).digest('hex'),
    credential,
  ]),
);

const intent = { id: INTENT_ID, kind: 'mint', status: 'queued', transaction: null } as const;
const at = '2026-09-14T08:30:12.345Z';

/** The smallest valid answer of each operation that the tests of the pipeline call. */
const handlers: Partial<AppOptions['handlers']> = {
  registerAccount: async () => ({
    status: 201,
    body: profile,
    cookie: { value: 'session', maxAgeSeconds: 60 },
  }),
  logIn: async () => ({ status: 200, body: profile, cookie: { value: 'session', maxAgeSeconds: 60 } }),
  getSession: async () => ({ status: 200, body: profile }),
  signIn: async () => ({
    status: 200,
    body: { token: `mta_${'0'.repeat(36)}`, user: { id: INTENT_ID, email: profile.email, plan: 'BASIC' } },
  }),
  getProfile: async () => ({ status: 200, body: profile }),
  updateProfile: async ({ body }) => ({ status: 200, body: { ...profile, ...body } }),
  getStats: async () => ({
    status: 200,
    body: { plan: 'BASIC', mintsUsed: 0, mintsRemaining: 100, periodStart: at, periodEnd: at },
  }),
  getGasStats: async () => ({
    status: 200,
    body: { used: 0, held: 0, remaining: 50_000_000, periodStart: at, periodEnd: at },
  }),
  deployToken: async ({ body: { type, name, symbol } }) => ({
    status: 200,
    body: {
      success: true,
      data: {
        address: ADDRESS,
        type,
        name,
        symbol,
        createdAt: at,
        intentId: INTENT_ID,
        transaction: TRANSACTION,
      },
    },
  }),
  listTokens: async () => ({ status: 200, body: { data: [], nextCursor: null } }),
  getToken: async ({ path }) => ({
    status: 200,
    body: {
      address: path.address,
      type: 'ERC20',
      name: 'Alice Coin',
      symbol: 'ALC',
      paused: false,
      transferLocked: false,
      permissionless: true,
      owner: ADDRESS,
      creator: profile.email,
    },
  }),
  mintToken: async () => ({ status: 202, body: { intent } }),
  getIntent: async () => ({
    status: 200,
    body: {
      ...intent,
      contract: ADDRESS,
      token: { address: ADDRESS, symbol: 'ALC', decimals: 18 },
      error: null,
      createdAt: at,
      updatedAt: at,
    },
  }),
};

export interface Served {
  url: string;
  port: number;
  log: () => string;
  /** How many connections the server holds open. */
  connections: () => Promise<number>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

export interface ServeOptions {
  handlers?: Partial<AppOptions['handlers']>;
  readiness?: AppOptions['readiness'];
  config?: Partial<AppOptions['config']>;
  limits?: Partial<ServerLimits>;
  pages?: AppOptions['pages'];
  observe?: AppOptions['observe'];
}

/** The whole pipeline on a free port, with an in-memory table of handlers and of credentials. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  let lines = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines += chunk.toString();
      done();
    },
  });
  const { app } = createApp({
    handlers: { ...handlers, ...options.handlers } as AppOptions['handlers'],
    authenticate: async (hash) => byHash.get(hash.toString('hex')) ?? null,
    config: {
      publicUrl: 'http://mint.example',
      wrongAnswers: 'refused',
      requestsPerMinute: 100_000,
      anonymousRequestsPerMinute: 100_000,
      pagesPerMinute: 100_000,
      trustProxy: 0,
      corsOrigins: [],
      ...options.config,
    },
    readiness: options.readiness ?? (async () => []),
    logger: pino({ level: 'trace' }, sink),
    observe: options.observe ?? noopObserver,
    ...(options.pages && { pages: options.pages }),
  });
  const server = createHttpServer(app, options.limits).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log: () => lines,
    connections: promisify(server.getConnections.bind(server)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends a request; `body` is sent unchanged when it is a string, else as JSON. */
export async function send(
  { url }: Served,
  route: string,
  { as, body, headers = {} }: { as?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const [method, path] = route.split(' ') as [string, string];
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  };
}

export const refusal = (code: string, message: unknown) => ({ code, message });
