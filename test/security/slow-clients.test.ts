import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { send, serve } from '../http/serve.ts';

/** `CONNECTIONS=2000` is the whole promise, and what runs here too unless it is set lower. */
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 2_000);
const REQUESTS = 300;

const starts = [
  'GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
  'POST /auth/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n',
  '',
];

test(`${CONNECTIONS} connections that send a byte now and then do not slow the others, and are closed`, async () => {
  await using service = await serve({ limits: { headersTimeout: 15_000, requestTimeout: 15_000 } });
  const sockets = new Set<Socket>();
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    sockets.add(socket);
    socket.write(starts[index % starts.length]!);
    if (index % 200 === 199) await once(socket, 'connect');
  }
  let turn = 0;
  const drip = setInterval(() => {
    // Every socket once a second, and not all in one go: the clients live in this process too.
    turn = (turn + 1) % 20;
    for (const [index, socket] of [...sockets].entries()) {
      if (index % 20 === turn && socket.writable) socket.write('a');
    }
  }, 50);

  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const started = performance.now();
    expect((await send(service, 'GET /me', { as: 'access' })).status).toBe(200);
    times.push(performance.now() - started);
  }
  const held = sockets.size;
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(REQUESTS * 0.99)]!;
  process.stdout.write(`${held} slow connections held, p99 of the others ${p99.toFixed(1)} ms\n`);
  expect(held).toBeGreaterThan(CONNECTIONS * 0.9);
  expect(p99).toBeLessThan(500);

  for (let look = 0; look < 300 && sockets.size > 0; look += 1) await sleep(100);
  clearInterval(drip);
  expect(sockets.size).toBe(0);
}, 90_000);
