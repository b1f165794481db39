import { expect, test } from '@jest/globals';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { AppError } from '../../src/errors.ts';
import { createAuthentication } from '../../src/http/auth.ts';
import { readContract } from '../../src/http/document.ts';
import { CREDENTIALS } from '../../lab/stage/serve.ts';

const check = createAuthentication({
  authenticate: async () => CREDENTIALS['session']!,
  publicUrl: new URL('https://mint.example'),
});

const { operations } = readContract();
const createKey = operations.find(({ id }) => id === 'createApiKey')!;
const listKeys = operations.find(({ id }) => id === 'listApiKeys')!;

/** What happens to a request with the session cookie, at an operation that takes it. */
async function outcome(headers: Record<string, string>, method: 'get' | 'post' = 'post'): Promise<string> {
  const request = new IncomingMessage(new Socket());
  request.headers = { cookie: 'service_session=session', host: 'internal:3000', ...headers };
  return check(request, method === 'get' ? listKeys : createKey).then(
    (principal) => principal?.kind ?? 'nobody',
    (error: unknown) => (error instanceof AppError ? error.code : 'another error'),
  );
}

const json = { 'content-type': 'application/json', 'content-length': '2' };

test.each<[string, Record<string, string>, string]>([
  ['a program that says nothing', {}, 'session'],
  ['a program with a JSON body', json, 'session'],
  ['JSON with a charset', { ...json, 'content-type': 'application/json; charset=utf-8' }, 'session'],
  ['the public origin', { ...json, origin: 'https://mint.example' }, 'session'],
  ['the host that was asked', { ...json, origin: 'https://internal:3000' }, 'session'],
  ['the same site by the browser', { ...json, 'sec-fetch-site': 'same-origin' }, 'session'],
  ['the address bar', { 'sec-fetch-site': 'none' }, 'session'],
  ['another origin', { ...json, origin: 'https://evil.example' }, 'FORBIDDEN'],
  ['the public host over plain HTTP', { ...json, origin: 'http://mint.example' }, 'FORBIDDEN'],
  ['another port', { ...json, origin: 'https://mint.example:8443' }, 'FORBIDDEN'],
  ['a hidden origin', { ...json, origin: 'null' }, 'FORBIDDEN'],
  ['another site by the browser', { ...json, 'sec-fetch-site': 'cross-site' }, 'FORBIDDEN'],
  ['a sibling domain', { ...json, 'sec-fetch-site': 'same-site' }, 'FORBIDDEN'],
  ['a form', { 'content-type': 'text/plain', 'content-length': '2' }, 'FORBIDDEN'],
  ['a body without a type', { 'transfer-encoding': 'chunked' }, 'FORBIDDEN'],
  ['JSON in name only', { ...json, 'content-type': 'application/jsonish' }, 'FORBIDDEN'],
])('a write with the cookie from %s: %j is %s', async (_from, headers, expected) => {
  expect(await outcome(headers)).toBe(expected);
});

test('every operation that changes something refuses a cookie from another origin, whatever its method', async () => {
  const writes = operations.filter(({ method, accepts }) => method !== 'get' && accepts.includes('session'));
  expect(new Set(writes.map(({ method }) => method))).toEqual(new Set(['post', 'put', 'patch', 'delete']));
  for (const operation of writes) {
    const request = new IncomingMessage(new Socket());
    request.headers = { cookie: 'service_session=session', origin: 'https://evil.example' };
    await expect(check(request, operation)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
});

test('a read with the cookie may come from anywhere', async () => {
  expect(await outcome({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 'get')).toBe(
    'session',
  );
});
