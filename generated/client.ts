// Generated from openapi.yaml by `npm run generate`. Do not edit.
import createClient from 'openapi-fetch';
import type { Client } from 'openapi-fetch';
import type { paths } from './api.ts';

export type MintmarkClient = Client<paths>;

export type MintmarkClientOptions = {
  /** Where the service is, without a path: `https://mint.example.org`. */
  baseUrl: string;
  /** An access token or API key, sent as `Authorization: Bearer`. */
  token?: string;
  /** Value of the `service_session` cookie; for programs, since browsers send their own. */
  cookie?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
};

/** A typed client: `client.POST('/tokens', { body })` gives `{ data }` or `{ error }`, and the `response`. */
export const createMintmarkClient = ({ baseUrl, token, cookie, fetch }: MintmarkClientOptions): MintmarkClient =>
  createClient<paths>({
    baseUrl,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(cookie === undefined ? {} : { cookie: `service_session=${cookie}` }),
    },
    ...(fetch === undefined ? {} : { fetch: (request: Request) => fetch(request) }),
  });
