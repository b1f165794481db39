import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';

let port: number;
let answer: (url: string) => { status: number; body: string; headers?: OutgoingHttpHeaders };
let seen: IncomingHttpHeaders;
const server = createServer((request, response) => {
  seen = request.headers;
  const { status, body, headers } = answer(request.url ?? '');
  response.writeHead(status, headers).end(body);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const refused = (message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32_600, message } });

test.each([
  ['in plain text', (url: string) => ({ status: 500, body: `no such project: ${url}` })],
  ['as a page', (url: string) => ({ status: 404, body: `<html>${url}</html>` })],
  ['as an error of JSON-RPC', (url: string) => ({ status: 401, body: refused(`invalid key ${url}`) })],
])('an endpoint that repeats its URL %s does not spread the key in it', async (_name, words) => {
  answer = words;
  using rpc = createRpc([`http://127.0.0.1:${port}/v2/secretKeyInPath?token=secretKeyInQuery`]);
  const failure = await rpc.call('eth_chainId', []).catch(String);
  expect(failure).toMatch(/^Error|^Rpc/);
  expect(failure).not.toMatch(/secretKey/);
});

test('user and password of an endpoint are sent as a header', async () => {
  answer = () => ({ status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x1' }) });
  using rpc = createRpc([`http://someone:p%40ss%20word@127.0.0.1:${port}/`]);
  expect(await rpc.call('eth_chainId', [])).toBe('0x1');
  expect(seen.authorization).toBe(`Basic ${Buffer.from('someone:p@ss word').toString('base64')}`);
});

test.each([301, 302, 307, 308])('an endpoint that redirects (%i) is not followed', async (status) => {
  const asked: string[] = [];
  const result = JSON.stringify({ jsonrpc: '2.0', id: 0, result: '0x1' });
  answer = (url) => {
    asked.push(url);
    return url === '/'
      ? { status, body: '', headers: { Location: '/elsewhere' } }
      : { status: 200, body: result };
  };
  using rpc = createRpc([`http://127.0.0.1:${port}/`]);
  await expect(rpc.call('eth_chainId', [])).rejects.toThrow('fetch failed');
  expect(new Set(asked)).toEqual(new Set(['/']));
});
