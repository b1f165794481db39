import { afterAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { readContract } from '../../src/http/document.ts';
import { ADDRESS, CREDENTIALS, INTENT_ID, refusal, send, serve } from '../../lab/stage/serve.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

test('operation ids and routes are those of the contract', () => {
  const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as { paths: Record<string, object> };
  const { operations } = readContract();
  expect(operations.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'))).toEqual(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).flatMap((key) => (key === 'parameters' ? [] : [path])),
    ),
  );
  expect(operations.find(({ id }) => id === 'mintToken')).toMatchObject({
    method: 'post',
    path: '/tokens/:address/mint',
    accepts: ['accessToken', 'liveKey'],
    hasBody: true,
    needsBody: true,
    isWrite: true,
  });
});

test('generated/openapi.json, which the service reads, is openapi.yaml: else run npm run generate', () => {
  const written = parse(readFileSync('openapi.yaml', 'utf8')) as object;
  expect(JSON.parse(readFileSync('generated/openapi.json', 'utf8'))).toEqual(written);
});

test('no reader takes a text for a time: YAML 1.1 has times, and readers of Ruby and Python are of it', () => {
  const timesIn = (value: unknown): Date[] => {
    if (value instanceof Date) return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(timesIn) : [];
  };
  expect(timesIn(parse(readFileSync('openapi.yaml', 'utf8'), { version: '1.1' }))).toEqual([]);
  expect(parse('at: 2026-09-14T08:31:00.000Z', { version: '1.1' })).toEqual({ at: expect.any(Date) });
});

test('the URLs of contact and reference are whole ones, as the rules of spectral:oas ask', () => {
  const { info, externalDocs } = parse(readFileSync('openapi.yaml', 'utf8')) as {
    info: { contact: { url: string } };
    externalDocs: { url: string };
  };
  for (const { url } of [info.contact, externalDocs]) expect(URL.canParse(url)).toBe(true);
});

test('the served contract differs from the one in the repository in its own address only', async () => {
  await using service = await serve({ config: { publicUrl: 'https://mint.example' } });
  const answer = await send(service, 'GET /openapi.yaml');
  expect(answer.headers.get('content-type')).toMatch(/^application\/yaml/);
  const served = parse(answer.body as string) as Record<string, unknown>;
  expect(served).toMatchObject({
    info: { contact: { url: 'https://mint.example/' } },
    externalDocs: { url: 'https://mint.example/docs' },
    servers: [{ url: 'https://mint.example' }],
  });
  const written = readFileSync('openapi.yaml', 'utf8');
  expect(answer.body).toBe(written.replaceAll('http://127.0.0.1:3000', 'https://mint.example'));
});

test('HEAD is answered like GET', async () => {
  const answer = await send(service, 'HEAD /health');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-length')).toBe('11');
});

test('answers are not cached and do not identify the server', async () => {
  const { headers } = await send(service, 'GET /me', { as: 'access' });
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.has('x-powered-by')).toBe(false);
});

test('X-Request-Id is returned: the given one if it is safe, else a new one', async () => {
  const idFor = async (given: string) =>
    (await send(service, 'GET /me', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
  expect(await idFor('order-8421')).toBe('order-8421');
  expect(await idFor('two words')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await idFor('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
});

test('each log line of a request says who asked, from where, and for which intent', async () => {
  await using service = await serve({
    handlers: {
      getProfile: async () => {
        throw new Error('the database is away');
      },
      mintToken: async () => ({
        status: 202,
        headers: { 'Intent-Id': INTENT_ID },
        body: { intent: { id: INTENT_ID, kind: 'mint', status: 'queued', transaction: null } },
      }),
    },
  });
  await send(service, `POST /tokens/${ADDRESS}/mint`, {
    as: 'access',
    body: { owner: ADDRESS, amount: '1' },
  });
  await send(service, 'GET /me', { as: 'access' });
  await send(service, 'GET /me');
  const lines = service
    .log()
    .trim()
    .split('\n')
    .map((line) => {
      const { req, account, credential, intent, msg } = JSON.parse(line) as Record<string, unknown>;
      const { method, client } = req as Record<string, string>;
      return { method, client, account, credential, intent, msg };
    });
  const { accountId: account, credentialId: credential } = CREDENTIALS['access']!;
  const client = '127.0.0.1';
  expect(lines).toEqual([
    { method: 'POST', client, account, credential, intent: INTENT_ID, msg: 'request completed' },
    { method: 'GET', client, account, credential, msg: 'unexpected error' },
    { method: 'GET', client, account, credential, msg: 'request errored' },
    { method: 'GET', client, msg: 'request completed' },
  ]);
  // No field is written twice.
  expect(service.log().match(/"account"/g)).toHaveLength(3);
});

test('secrets are not logged', async () => {
  await using service = await serve({
    handlers: {
      signIn: async () => {
        throw new Error('the database is away');
      },
    },
  });
  const canary = 'canary-7f3a';
  await send(service, 'POST /auth/signin', {
    body: { email: canary, password: canary },
    headers: { cookie: `service_session=${canary}`, 'idempotency-key': canary },
    as: canary,
  });
  await send(service, `GET /tokens?cursor=${canary}`, { as: canary });
  await send(service, 'POST /auth/signin', { body: `{"password":"${canary}` });
  expect(service.log()).toContain('the database is away');
  expect(service.log()).toContain('/tokens');
  expect(service.log()).not.toContain(canary);
});

test.each([
  ['PATCH /tokens', 404, 'There is no PATCH at this address: it takes GET, POST.'],
  [`DELETE /tokens/${ADDRESS}/`, 404, 'There is no DELETE at this address: it takes GET.'],
  ['POST /me', 404, 'There is no POST at this address: it takes GET, PATCH.'],
  ['GET /nothing', 404, 'There is nothing at this address. The routes are listed at /openapi.yaml.'],
  ['GET /Tokens', 404, 'There is nothing at this address. The routes are listed at /openapi.yaml.'],
])('%s is told which methods there are', async (route, status, message) => {
  expect(await send(service, route, { as: 'access' })).toMatchObject({
    status,
    body: refusal('NOT_FOUND', message),
  });
});
