import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { ADDRESS, refusal, send, serve } from '../../lab/stage/serve.ts';
import { open, speak } from './socket.ts';

const service = await serve();
afterAll(() => service[Symbol.asyncDispose]());

const MIB = 1_048_576;
const mint = `/tokens/${ADDRESS}/mint`;
const batch = `/v1/collections/${ADDRESS}/mint/batch`;
const head = (path: string, headers: string, as = 'access'): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${as}\r\nContent-Type: application/json\r\n${headers}\r\n`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

test.each([
  ['POST', mint, 16_384],
  ['PUT', `/tokens/${ADDRESS}/metadata`, 65_536],
  ['PUT', `/v1/collections/${ADDRESS}/metadata`, 65_536],
  ['PUT', `/v1/collections/${ADDRESS}/tokens/1/metadata`, 65_536],
  ['POST', `/v1/collections/${ADDRESS}/mint`, 65_536],
  ['POST', batch, MIB],
])('%s %s takes %i bytes and no more', async (method, path, bytes) => {
  const body = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`;
  const message = async (length: number) => {
    const answer = await send(service, `${method} ${path}`, { as: 'live', body: body(length) });
    expect(answer.status).toBe(422);
    return (answer.body as { message: string }).message;
  };
  expect(await message(bytes)).not.toContain('too large');
  expect(await message(bytes + 1)).toBe(`The body is too large: at most ${bytes / 1_024} KiB.`);
});

test.each([
  ['announced', `Content-Length: ${2_048 * MIB}\r\n`, ''],
  ['in chunks', 'Transfer-Encoding: chunked\r\n', chunk(' '.repeat(20_000))],
])('a body that is too large, %s, is refused and ends the connection', async (_way, headers, body) => {
  const started = performance.now();
  const answer = await speak(service, head(mint, headers) + body);
  expect(answer).toMatch(
    /^HTTP\/1\.1 422 [^]*\r\nConnection: close\r\n[^]*The body is too large: at most 16 KiB\./,
  );
  // Far before the service would have stopped to wait for the rest.
  expect(performance.now() - started).toBeLessThan(25_000);
});

test.each([
  ['an unknown route', 'POST /nowhere', 404],
  ['an operation without a body', 'GET /health', 200],
  ['a refused credential', `POST ${batch}`, 401],
])('%s does not read a large body to its end', async (_what, route, status) => {
  // It does not mind that the service has ended its side.
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  let answer = '';
  socket.on('data', (data: Buffer) => (answer += data.toString())).on('error', () => undefined);
  // It may be reset, which `once` would reject with.
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
  const type = 'Content-Type: application/json';
  // What the route of the batch takes; the client sends on and on.
  socket.write(
    `${route} HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: ${status === 401 ? MIB : 2_048 * MIB}\r\n\r\n`,
  );
  const flood = Buffer.alloc(MIB, ' ');
  let sent = 0;
  const pump = (): void => {
    if (socket.destroyed || sent > 500) return;
    sent += 1;
    socket.write(flood, () => setImmediate(pump));
  };
  pump();
  expect(await Promise.race([closed, sleep(20_000, false, { ref: false })])).toBe(true);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`));
  expect(sent).toBeLessThan(500);
});

test('a client that sends a large body before it reads gets the answer', async () => {
  const socket = await open(service);
  let answer = '';
  socket.write(head(mint, `Content-Length: ${MIB}\r\n`));
  for (let part = 0; part < 16; part += 1) {
    socket.write(' '.repeat(MIB / 16));
    await sleep(5);
  }
  socket.on('data', (data: Buffer) => (answer += data.toString()));
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 422 /);
});

test('a large body that was read to its end leaves the connection open', async () => {
  const socket = await open(service);
  const answers: string[] = [];
  socket.on('data', (data: Buffer) => answers.push(data.toString()));
  const body = `{"items":"${'x'.repeat(100_000)}"}`;
  for (let count = 1; count <= 2; count += 1) {
    socket.write(head(batch, `Content-Length: ${body.length}\r\n`, 'live') + body);
    while (answers.join('').split('HTTP/1.1 422 ').length <= count) await sleep(10);
  }
  expect(answers.join('')).toContain('items must be a list.');
  expect(answers.join('')).not.toContain('Connection: close');
  socket.destroy();
});

test('bodies that are never finished take the room of their own account only', async () => {
  const unfinished = `${head(batch, `Content-Length: ${MIB}\r\n`, 'live')}{"items":"${'x'.repeat(900_000)}`;
  const answers: string[] = [];
  const begin = async () => {
    const socket = await open(service);
    socket.on('data', (data: Buffer) => answers.push(data.toString())).on('error', () => undefined);
    await new Promise((resolve) => socket.write(unfinished, resolve));
    return socket;
  };
  // Eight have room.
  const sockets = await Promise.all(Array.from({ length: 8 }, begin));
  await sleep(300);
  expect(answers).toEqual([]);
  sockets.push(...(await Promise.all(Array.from({ length: 4 }, begin))));
  while (answers.length < 4) await sleep(20);
  for (const answer of answers)
    expect(answer).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 1\r\n[^]*RATE_LIMITED/);
  const large = { body: { items: 'x'.repeat(300_000) } };
  expect(await send(service, `POST ${batch}`, { as: 'live', ...large })).toMatchObject({ status: 429 });
  const small = { body: { items: 'x'.repeat(10_000) } };
  expect(await send(service, `POST ${batch}`, { as: 'live', ...small })).toMatchObject({ status: 422 });
  expect(await send(service, `POST ${batch}`, { as: 'otherLive', ...large })).toMatchObject({ status: 422 });

  for (const socket of sockets) socket.destroy();
  const again = async () => (await send(service, `POST ${batch}`, { as: 'live', ...large })).status;
  while ((await again()) === 429) await sleep(20);
  expect(await again()).toBe(422);
});

test('a body that comes byte by byte is read whole', async () => {
  const socket = await open(service);
  let answer = '';
  socket.on('data', (data: Buffer) => (answer += data.toString()));
  socket.setNoDelay(true);
  const body = JSON.stringify({ owner: `${ADDRESS}é` });
  const bytes = Buffer.from(body);
  socket.write(head(mint, `Content-Length: ${bytes.length}\r\nConnection: close\r\n`));
  for (const byte of bytes) {
    socket.write(Uint8Array.of(byte));
    await sleep(1);
  }
  await once(socket, 'close');
  expect(answer).toContain('owner must be an address');
});

test.each([
  ['attributes of a token', 'PUT', `/tokens/${ADDRESS}/metadata`, '"attributes":{"size":9007199254740993}'],
  [
    'attributes of an NFT',
    'PUT',
    `/v1/collections/${ADDRESS}/tokens/1/metadata`,
    '"attributes":{"size":1e400}',
  ],
  ['fields of a deployment', 'POST', '/tokens', '"size":0.12345678901234567890'],
])('numbers of too many digits in %s are refused', async (_place, method, path, field) => {
  const request = { body: `{"name":"a","description":"b",${field}}` };
  const answer = await send(service, `${method} ${path}`, { ...request, as: 'live' });
  expect(answer).toMatchObject({
    status: 422,
    body: refusal('VALIDATION_ERROR', expect.stringMatching(/^size is a number that cannot be kept/)),
  });
  // It is validation, which comes after the credential.
  expect(await send(service, `${method} ${path}`, request)).toMatchObject({ status: 401 });
});
