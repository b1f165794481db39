import { afterAll, describe, expect, test } from '@jest/globals';
import { AppError } from '../../src/errors.ts';
import { ADDRESS, send, serve } from '../../lab/stage/serve.ts';
import { speak } from './socket.ts';

const service = await serve({
  config: { publicUrl: 'https://mint.example' },
  handlers: {
    getStats: async () => {
      throw new Error('the database is away');
    },
    getToken: async () => {
      throw new AppError('FORBIDDEN', 'This token belongs to another account');
    },
  },
});
afterAll(() => service[Symbol.asyncDispose]());

/** An answer of each kind: success, text, and the errors of each step. */
const ROUTES = [
  ['GET /health', 200, 'application/json; charset=utf-8'],
  ['GET /openapi.yaml', 200, 'application/yaml; charset=utf-8'],
  ['GET /v1/auth/me', 401, 'application/json; charset=utf-8'],
  ['GET /nothing', 404, 'application/json; charset=utf-8'],
  [`GET /tokens/${ADDRESS}`, 403, 'application/json; charset=utf-8'],
  ['GET /tokens?limit=0', 422, 'application/json; charset=utf-8'],
  ['GET /stats', 500, 'application/json; charset=utf-8'],
] as const;

describe('every answer', () => {
  test.each(ROUTES)('%s (%i) says what a browser may do with it', async (route, status, type) => {
    const answer = await send(service, route, { as: 'access' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expect(answer.headers.get('content-security-policy')?.split(';')).toEqual([
      "default-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    // The contract is the same for everybody.
    const caching = route.includes('openapi') && status === 200 ? 'public, max-age=60' : 'no-store';
    expect(answer.headers.get('cache-control')).toBe(caching);
  });

  test.each([
    ['what is no HTTP', 'GRUSS GOTT\r\n\r\n'],
    ['two Host headers', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ])('to %s too', async (_what, request) => {
    const [head = ''] = (await speak(service, request)).split('\r\n\r\n');
    expect(head).toContain('\r\nContent-Type: application/json; charset=utf-8');
    expect(head).toContain("\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'");
    expect(head).toContain('\r\nX-Content-Type-Options: nosniff');
    expect(head).toContain('\r\nCache-Control: no-store');
  });

  test('has no promise about HTTPS where there is none', async () => {
    await using plain = await serve();
    expect((await send(plain, 'GET /health')).headers.has('strict-transport-security')).toBe(false);
  });
});

test('TRACE is unknown, and echoes nothing', async () => {
  const answer = await speak(
    service,
    'TRACE / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer canary\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).not.toContain('canary');
});

test.each([
  '/.git/HEAD',
  '/package.json',
  '/docs/../package.json',
  '/docs/..%2fpackage.json',
  '/src/main.ts',
  '/.data/',
])('no file of the clone is served: %s', async (path) => {
  const answer = await speak(service, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*"code":"NOT_FOUND"/);
});

test('a request whose length is said twice is refused, and what follows is not read as another one', async () => {
  const answer = await speak(
    service,
    'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  expect(answer).not.toContain('"ok"');
});

test('a refused request is logged with its status, who asked, and from where', async () => {
  await using service = await serve({
    handlers: {
      getToken: async () => {
        throw new AppError('FORBIDDEN', 'This token belongs to another account');
      },
    },
  });
  await send(service, `GET /tokens/${ADDRESS}`, { as: 'access' });
  await send(service, 'GET /me', { as: 'nobody' });
  await send(service, 'GET /tokens?limit=0', { as: 'access' });
  const lines = service
    .log()
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          time: string;
          req: { client: string };
          res: { statusCode: number };
          account?: string;
        },
    );
  expect(lines.map(({ req, res, account }) => [res.statusCode, req.client, account])).toEqual([
    [403, '127.0.0.1', 'a'],
    [401, '127.0.0.1', undefined],
    [422, '127.0.0.1', 'a'],
  ]);
});
