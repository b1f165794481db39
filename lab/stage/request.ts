import type { TestAnswer } from './tokens.ts';

/** The credential of a request: an access token or key, or none. */
type Caller = { token: string } | null;

export type Ask = (
  caller: Caller,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<TestAnswer>;

/** Untyped requests, for tests that go through many operations or break the contract. */
export const createAsk =
  (url: string): Ask =>
  async (caller, method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(caller && { Authorization: `Bearer ${caller.token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
      intentId: response.headers.get('Intent-Id'),
    };
  };
