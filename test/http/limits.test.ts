import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpServer } from '../../src/http/limits.ts';
import { send, serve } from '../../lab/stage/serve.ts';
import { open, speak } from './socket.ts';

test('a server without options has the limits of the docs', async () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections } = createHttpServer(
    () => undefined,
  );
  expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections }).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 60_000,
    timeout: 120_000,
    maxConnections: 10_000,
  });
});

test('a request that is not HTTP gets an error of the contract', async () => {
  await using service = await serve();
  const answer = await speak(service, 'GRUSS GOTT\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('headers or a body that never end are cut off after a timeout', async () => {
  await using service = await serve({
    limits: { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
  });
  const started = performance.now();
  const answers = await Promise.all([
    speak(service, 'GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: '),
    speak(
      service,
      'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ),
  ]);
  expect(performance.now() - started).toBeLessThan(60_000);
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 429 [^]*\r\nRetry-After: 1\r\n/);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'RATE_LIMITED' });
  }
});

test('connections above the limit are closed, those below it are served', async () => {
  await using service = await serve({ limits: { maxConnections: 2 } });
  const [first, second] = [await open(service), await open(service)];
  expect(await speak(service, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  first.destroy();
  second.destroy();
  await Promise.all([once(first, 'close'), once(second, 'close')]);
  expect(await send(service, 'GET /health')).toMatchObject({ status: 200 });
});

test('a request without Host or with an unknown Expect is served', async () => {
  await using service = await serve();
  const closing = 'Connection: close\r\n\r\n';
  expect(await speak(service, `GET /health HTTP/1.1\r\n${closing}`)).toMatch(
    /^HTTP\/1\.1 200 [^]*\{"ok":true\}$/,
  );
  const expecting = await speak(service, `GET /health HTTP/1.1\r\nHost: a\r\nExpect: a wonder\r\n${closing}`);
  expect(expecting).toMatch(/^HTTP\/1\.1 200 [^]*\{"ok":true\}$/);
});

test.each(['Host: a\r\nHost: b', 'Host: a\r\nHOST: a', 'Host: a\r\nX: y\r\nhost:', 'Host:\r\nHost:'])(
  'a request with two Host headers is 400: %j',
  async (hosts) => {
    await using service = await serve();
    const answer = await speak(service, `GET /health HTTP/1.1\r\n${hosts}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n[^]*"code":"BAD_REQUEST"/);
    expect(answer).not.toContain('"ok"');
  },
);

test.each([
  ['one long header', `X-Long: ${'a'.repeat(17_000)}\r\n`],
  ['many headers', Array.from({ length: 1_000 }, (_, index) => `X-Header-${index}: value\r\n`).join('')],
])('%s beyond 16 KiB gets the error of the contract', async (_name, headers) => {
  await using service = await serve();
  const answer = await speak(service, `GET /health HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 422 [^]*"code":"VALIDATION_ERROR"/);
});

test('a client that never reads its answers is disconnected', async () => {
  await using service = await serve({ limits: { timeout: 300 } });
  const socket = await open(service);
  socket.pause();
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  // More answers than the buffers on the way can hold.
  const count = 500;
  socket.write('GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(count));
  do await sleep(50);
  while ((await service.connections()) > 0);
  let read = 0;
  socket.on('data', (chunk: Buffer) => (read += chunk.length)).resume();
  await closed;
  const { body } = await send(service, 'GET /openapi.yaml');
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan((count / 2) * (body as string).length);
});
