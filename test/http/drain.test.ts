import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { prepareDrain } from '../../src/http/drain.ts';
import { createHttpServer } from '../../src/http/limits.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** A server that does not answer its first request until told to. */
async function open() {
  const held: ServerResponse[] = [];
  let seen = 0;
  const server = createHttpServer((_request, response) => {
    seen += 1;
    if (seen === 1) held.push(response);
    else response.end('answer');
  });
  const drain = prepareDrain(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dial = async (): Promise<{ socket: Socket; heard: () => string }> => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    return { socket, heard: () => text };
  };
  return { port, held, drain, dial };
}

test('open requests are answered, an idle connection may send one more request, new connections are refused', async () => {
  const { held, drain, dial } = await open();
  const busy = await dial();
  busy.socket.write(REQUEST);
  const [idle, silent] = [await dial(), await dial()];
  while (held.length === 0) await sleep(5);
  const ended = [busy, idle, silent].map(({ socket }) => once(socket, 'close'));

  let hurried = false;
  const drained = drain(
    () => {
      hurried = true;
      held[0]!.end('late');
    },
    { idleMs: 300, hurryMs: 600, cutMs: 5_000 },
  );
  await sleep(100);
  idle.socket.write(REQUEST);
  await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await drained;
  await Promise.all(ended);

  expect(hurried).toBe(true);
  expect(busy.heard()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*late$/);
  expect(idle.heard()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*answer$/);
  expect(silent.heard()).toBe('');
});

test('a client that does not read is disconnected after the timeout', async () => {
  const { held, drain, dial } = await open();
  const { socket } = await dial();
  socket.on('error', () => undefined);
  socket.write(REQUEST);
  while (held.length === 0) await sleep(5);
  const started = performance.now();
  await drain(() => undefined, { idleMs: 10, hurryMs: 20, cutMs: 200 });
  expect(performance.now() - started).toBeLessThan(60_000);
});

test('a connection that is idle after an answer may still bring a request for a while', async () => {
  const { held, drain, dial } = await open();
  const busy = await dial();
  busy.socket.write(REQUEST);
  while (held.length === 0) await sleep(5);
  const idle = await dial();
  idle.socket.write(REQUEST);
  while (!idle.heard().endsWith('answer')) await sleep(5);

  const drained = drain(() => held[0]!.end(), { idleMs: 1_000, hurryMs: 1_500, cutMs: 5_000 });
  await sleep(300);
  idle.socket.write(REQUEST);
  await drained;
  expect(idle.heard().match(/answer/g)).toHaveLength(2);
});

/** Sends a request from a thread of its own, and posts what was answered. */
const ELSEWHERE = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, request, sent } } = require('node:worker_threads');
  let heard = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(request, () => {
    Atomics.store(sent, 0, 1);
    Atomics.notify(sent, 0);
  }));
  socket.on('data', (chunk) => (heard += chunk));
  socket.on('error', (error) => (heard += error.code));
  socket.on('close', () => parentPort.postMessage(heard));
`;

test('what arrived while the event loop was busy is answered', async () => {
  const { port, held, drain, dial } = await open();
  const busy = await dial();
  busy.socket.write(REQUEST);
  while (held.length === 0) await sleep(5);

  const sent = new Int32Array(new SharedArrayBuffer(4));
  const elsewhere = new Worker(ELSEWHERE, { eval: true, workerData: { port, request: REQUEST, sent } });
  const answered = once(elsewhere, 'message');
  // This thread stands still until the request is in the system's hands.
  expect(Atomics.wait(sent, 0, 0, 20_000)).not.toBe('timed-out');
  await drain(() => held[0]!.end(), { idleMs: 200, hurryMs: 400, cutMs: 5_000 });
  const [heard] = (await answered) as [string];
  expect(heard).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*answer$/);
});

test('connections that wait in the queue of the kernel are taken before new ones are refused', async () => {
  const { port, held, drain } = await open();
  const answers = Array.from({ length: 50 }, async () => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(REQUEST);
    await once(socket, 'close');
    return text;
  });
  // A socket asks the kernel for its connection in the next tick, before the server looks at its own again.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await drain(() => held[0]!.end('late'), { idleMs: 300, hurryMs: 600, cutMs: 5_000 });
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
});
