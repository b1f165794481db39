import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { send, serve } from './serve.ts';
import type { Served } from './serve.ts';

/** Opens a connection, writes, and collects what comes back until the server closes it. */
const speak = async ({ port }: Served, text: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
};

const open = async ({ port }: Served): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

test('what is not HTTP gets the error of the contract', async () => {
  await using service = await serve();
  const answer = await speak(service, 'GRUSS GOTT\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('headers that never end, and a body that never ends, cost a socket for a while', async () => {
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
  expect(performance.now() - started).toBeLessThan(5_000);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 422 /);
});

test('connections past the cap are closed, those below it are served', async () => {
  await using service = await serve({ limits: { maxConnections: 2 } });
  const [first, second] = [await open(service), await open(service)];
  expect(await speak(service, 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n')).toBe('');
  first.destroy();
  second.destroy();
  await Promise.all([once(first, 'close'), once(second, 'close')]);
  expect(await send(service, 'GET /health')).toMatchObject({ status: 200 });
});
