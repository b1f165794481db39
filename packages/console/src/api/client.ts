import createClient from 'openapi-fetch';
import type { paths } from '../../../../generated/api.ts';
import { SERVICE_URL } from './addresses.ts';
import { createSend } from './send.ts';
import type { Keyring } from './send.ts';

let keyring: Keyring | undefined;

/** Said once by `session.ts`: the client and who keeps its credentials need each other. */
export function setKeyring(kept: Keyring): void {
  keyring = kept;
}

const OPTIONS = {
  baseUrl: SERVICE_URL,
  fetch: (request: Request): Promise<Response> => {
    if (!keyring) throw new Error('no keyring yet');
    return createSend(keyring)(request);
  },
};

/**
 * Every operation of the contract: `api.GET('/tokens', ...)`. It rejects with an `ApiProblem` unless the answer is a
 * success, and adds the credential that the operation takes.
 */
export const api = createClient<paths>(OPTIONS);

/** Any operation, for requests that were described before: their types are those of the description. */
interface AnyOperation {
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { content: { 'application/json': unknown } } };
}

/** The same client for a `Call`. */
export const { request: requestAny } =
  createClient<Record<string, Record<'get' | 'post' | 'put' | 'patch' | 'delete', AnyOperation>>>(OPTIONS);
