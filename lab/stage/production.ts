import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createDb } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { longTimeouts } from '../../src/db/connection.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createAsk } from './request.ts';
import type { Ask } from './request.ts';
import { spawnService } from './service-process.ts';

const PASSWORD = 'correct horse battery';

/** An account that was registered by an invite and signed in. */
export interface Registered {
  email: string;
  password: string;
  /** For `Authorization: Bearer`. */
  token: string;
  /** Value of the session cookie. */
  cookie: string;
}

/** The service as it runs in production, a process of its own. Disposal is SIGTERM. */
export interface Production extends AsyncDisposable {
  url: string;
  port: number;
  pid: number;
  /** A connection of the stage's own, without limits of time. */
  db: Db;
  ask: Ask;
  /** An invite that was not used. */
  invite(): string;
  /** @param headers of both requests */
  register(headers?: Record<string, string>): Promise<Registered>;
  /** The end of its log. */
  log(): string;
}

export interface ProductionOptions {
  databaseUrl: string;
  rpcUrl: string;
  invites: number;
  variables?: Record<string, string>;
  /** Of `src/main.ts`. */
  args?: string[];
  /** `src/main.ts` of another checkout. */
  main?: string;
}

/** Of the log, to be shown when a request fails. */
const LOG_KEPT = 4_000;

/** Environment of a process as in production, with the first account of the embedded chain as signer. */
export const inProduction = (databaseUrl: string, rpcUrl: string, port: number): Record<string, string> => ({
  NODE_ENV: 'production',
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  DATABASE_URL: databaseUrl,
  RPC_URL: rpcUrl,
  SIGNER_KEY: embeddedAccounts[0].privateKey,
  OPERATOR_ADMIN: embeddedAccounts[0].address,
  PORT: String(port),
  CONFIRMATIONS: '1',
  WEBHOOK_SECRET_KEY_FILE: path.join(import.meta.dirname, 'webhook.key'),
});

/** @throws Error when an account cannot register or sign in */
export async function startProduction({
  databaseUrl,
  rpcUrl,
  invites: count,
  variables = {},
  args = [],
  main,
}: ProductionOptions): Promise<Production> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const invites = Array.from({ length: count }, () => randomUUID());
  const environment = {
    ...inProduction(databaseUrl, rpcUrl, port),
    BOOTSTRAP_INVITES: invites.join(','),
    ...variables,
  };
  await using opening = new AsyncDisposableStack();
  const service = opening.use(await spawnService(environment, args, main));
  let log = '';
  service.child.stdout!.on('data', (chunk: Buffer) => (log = `${log}${chunk.toString()}`.slice(-LOG_KEPT)));
  const db = opening.use(createDb(databaseUrl, 2, { timeouts: longTimeouts }));
  const ask = createAsk(url);
  const invite = (): string => {
    const code = invites.pop();
    if (code === undefined) throw new Error(`a stage needs more than ${count} invites`);
    return code;
  };
  const opened = opening.move();
  return {
    ...{ url, port, pid: service.child.pid!, db, ask, invite },
    register: (headers) => register(ask, invite(), headers),
    log: () => log,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function register(
  ask: Ask,
  inviteCode: string,
  headers: Record<string, string> = {},
): Promise<Registered> {
  const login = { email: `${randomUUID()}@example.com`, password: PASSWORD };
  const made = await ask(null, 'POST', '/v1/auth/register', { ...login, inviteCode }, headers);
  const signedIn = await ask(null, 'POST', '/auth/signin', login, headers);
  const cookie = /service_session=([^;]+)/.exec(made.headers.getSetCookie()[0] ?? '')?.[1];
  if (cookie === undefined || signedIn.status !== 200) {
    throw new Error(`a registration was answered ${made.status}, its sign-in ${signedIn.status}`);
  }
  const { token } = signedIn.body as { token: string };
  return { ...login, token, cookie };
}
