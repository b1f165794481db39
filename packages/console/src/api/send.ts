import { SERVICE_URL } from './addresses.ts';
import { credentialOf } from './credentials.ts';
import type { Credential } from './credentials.ts';
import { readProblem, unreachable } from './problem.ts';
import { noteAnswer, noteSilence } from './reachability.ts';

/** The credentials that requests are sent with. The session cookie is the browser's own business. */
export interface Keyring {
  /** A valid token of the session; a new one when `stale` was refused. */
  token(environment: 'live' | 'sandbox', stale?: string): Promise<string>;
  isSandbox(): boolean;
  /** A 401: somebody ended the session, its time is over, or a password in the body is wrong. */
  refused(): void;
}

const PREFIX = new URL(SERVICE_URL).pathname.replace(/\/$/, '');

/**
 * Makes the `fetch` of the client: it adds the credential, asks once more with a new token after a 401, and throws an
 * `ApiProblem` for everything that is no success.
 */
export function createSend(keyring: Keyring): (request: Request) => Promise<Response> {
  return async (request) => {
    const path = new URL(request.url).pathname.slice(PREFIX.length);
    const credential = credentialOf(path, keyring.isSandbox());
    if (credential === 'none' || credential === 'session') {
      return check(await ask(request), credential, keyring);
    }
    const environment = credential === 'sandboxKey' ? 'sandbox' : 'live';
    const again = request.clone();
    const token = await keyring.token(environment);
    const first = await ask(withBearer(request, token));
    if (first.status !== 401) return check(first, credential, keyring);
    const renewed = await keyring.token(environment, token);
    return check(await ask(withBearer(again, renewed)), credential, keyring);
  };
}

function withBearer(request: Request, token: string): Request {
  request.headers.set('Authorization', `Bearer ${token}`);
  return request;
}

async function ask(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    noteSilence();
    throw unreachable();
  }
}

async function check(response: Response, credential: Credential, keyring: Keyring): Promise<Response> {
  if (response.ok) {
    noteAnswer();
    return response;
  }
  const problem = await readProblem(response);
  if (problem.code === 'UNREACHABLE') noteSilence();
  else noteAnswer();
  if (response.status === 401 && credential !== 'none') keyring.refused();
  throw problem;
}
