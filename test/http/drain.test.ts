import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
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
  return { held, drain, dial };
}

test('open requests are answered, an idle connection may send one more request, new connections are refused', async () => {
  const { held, drain, dial } = await open();
  const busy = await dial();
  busy.socket.write(REQUEST);
  const [resting, silent] = [await dial(), await dial()];
  while (held.length === 0) await sleep(5);
  const ended = [busy, resting, silent].map(({ socket }) => once(socket, 'close'));

  let hurried = false;
  const drained = drain(
    () => {
      hurried = true;
      held[0]!.end('late');
    },
    { restMs: 300, hurryMs: 600, cutMs: 5_000 },
  );
  await sleep(100);
  resting.socket.write(REQUEST);
  await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await drained;
  await Promise.all(ended);

  expect(hurried).toBe(true);
  expect(busy.heard()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*late$/);
  expect(resting.heard()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*answer$/);
  expect(silent.heard()).toBe('');
});

test('a client that does not read is disconnected after the timeout', async () => {
  const { held, drain, dial } = await open();
  const { socket } = await dial();
  socket.on('error', () => undefined);
  socket.write(REQUEST);
  while (held.length === 0) await sleep(5);
  const started = performance.now();
  await drain(() => undefined, { restMs: 10, hurryMs: 20, cutMs: 200 });
  expect(performance.now() - started).toBeLessThan(3_000);
});
