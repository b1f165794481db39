import { afterAll, expect, test } from '@jest/globals';
import type { Principal } from '../../src/http/operation.ts';
import { CREDENTIALS, INTENT_ID, send, serve } from '../../lab/stage/serve.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

const cookie = (value: string) => ({ cookie: `theme=dark; service_session=${value}; other=1` });
const UPDATE = { body: { walletAddress: null } };

/** Status of each operation for each kind of credential: none, wrong, access token, live key, sandbox key, session. */
const table: [route: string, body: object | undefined, ...statuses: number[]][] = [
  ['GET /health', undefined, 200, 200, 200, 200, 200, 200],
  ['GET /v1/auth/me', undefined, 401, 401, 401, 401, 401, 200],
  ['GET /me', undefined, 401, 401, 200, 200, 403, 401],
  ['PATCH /me', UPDATE.body, 401, 401, 200, 403, 403, 401],
  ['GET /stats', undefined, 401, 401, 200, 200, 403, 401],
  ['GET /stats/gas', undefined, 401, 401, 200, 200, 403, 401],
  ['GET /tokens', undefined, 401, 401, 200, 200, 403, 401],
  [`GET /intents/${INTENT_ID}`, undefined, 401, 401, 200, 200, 200, 200],
];

test.each(table)('%s accepts exactly its kinds of credentials', async (route, body, ...expected) => {
  const statuses: number[] = [];
  for (const as of [undefined, 'wrong', 'access', 'live', 'sandbox']) {
    statuses.push((await send(service, route, { body, ...(as === undefined ? {} : { as }) })).status);
  }
  statuses.push((await send(service, route, { body, headers: cookie('session') })).status);
  expect(statuses).toEqual(expected);
});

test('the handler gets the principal', async () => {
  const seen: (Principal | null)[] = [];
  await using service = await serve({
    handlers: {
      getIntent: async ({ principal }) => {
        seen.push(principal);
        throw new Error('enough');
      },
    },
  });
  const route = `GET /intents/${INTENT_ID}`;
  await send(service, route, { as: 'sandbox' });
  await send(service, route, { headers: cookie('session') });
  expect(seen).toEqual([CREDENTIALS['sandbox'], CREDENTIALS['session']]);
});

test('a Bearer credential takes precedence over the cookie, even when it is invalid', async () => {
  const headers = cookie('session');
  const both = `GET /intents/${INTENT_ID}`;
  expect(await send(service, both, { as: 'wrong', headers })).toMatchObject({ status: 401 });
  expect(await send(service, 'GET /me', { as: 'access', headers })).toMatchObject({ status: 200 });
});

test('where the cookie alone serves, a Bearer credential beside it is passed over', async () => {
  for (const as of ['access', 'live', 'sandbox', 'wrong']) {
    const beside = await send(service, 'GET /v1/auth/me', { as, headers: cookie('session') });
    expect(beside).toMatchObject({ status: 200 });
    expect(await send(service, 'GET /v1/auth/me', { as })).toMatchObject({ status: 401 });
  }
});

test('a session works only as a cookie, all others only as Bearer', async () => {
  const route = `GET /intents/${INTENT_ID}`;
  expect(await send(service, route, { as: 'session' })).toMatchObject({ status: 401 });
  expect(await send(service, route, { headers: cookie('access') })).toMatchObject({ status: 401 });
  expect(await send(service, route, { headers: cookie('live') })).toMatchObject({ status: 401 });
});

test.each(['Basic YTpi', 'Bearer', 'access', `Bearer ${'x'.repeat(5_000)}`])(
  'Authorization: %.20s is 401',
  async (authorization) => {
    expect(await send(service, 'GET /me', { headers: { authorization } })).toMatchObject({ status: 401 });
  },
);

test('login sets the cookie, Secure only over HTTPS', async () => {
  const body = { email: 'alice@example.com', password: 'correct horse' };
  const cookieAt = async (publicUrl: string) => {
    await using service = await serve({ config: { publicUrl } });
    return (await send(service, 'POST /v1/auth/login', { body })).headers.get('set-cookie');
  };
  const plain = await cookieAt('http://mint.example');
  expect(plain).toMatch(/^service_session=session; Max-Age=60; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/);
  expect(await cookieAt('https://mint.example')).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
});

test('only where a Bearer token works does a refusal name that scheme', async () => {
  const challenge = async (route: string, body?: object) =>
    (await send(service, route, { body })).headers.get('WWW-Authenticate');
  expect(await challenge('GET /me')).toBe('Bearer');
  expect(await challenge(`GET /intents/${INTENT_ID}`)).toBe('Bearer');
  expect(await challenge('GET /v1/auth/me')).toBeNull();
});
