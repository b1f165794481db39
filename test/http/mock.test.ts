import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createMintmarkClient } from '../../generated/client.ts';

let mock: ChildProcess;
let baseUrl: string;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const answers = () =>
  fetch(`${baseUrl}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  mock = spawn(process.execPath, ['scripts/mock.ts'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 200 && !(await answers()); tries += 1) await wait(100);
});

afterAll(async () => {
  mock.kill('SIGTERM');
  await once(mock, 'exit');
});

test('the mock answers a deployment through the generated client', async () => {
  const client = createMintmarkClient({ baseUrl, token: 'mta_any' });
  const { data, response } = await client.POST('/tokens', {
    body: { type: 'ERC20', name: 'Alice Coin', symbol: 'ALC' },
  });
  expect(response.status).toBe(200);
  expect(data).toMatchObject({ success: true, data: { symbol: 'ALC' } });
  expect(response.headers.get('intent-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('the mock knows cookies, refusals and the example that was asked for', async () => {
  const client = createMintmarkClient({ baseUrl, cookie: 'any' });
  expect((await client.GET('/v1/auth/me')).data).toMatchObject({ plan: 'BASIC' });
  expect((await client.GET('/me')).error).toMatchObject({ code: 'UNAUTHORIZED' });

  const owner = createMintmarkClient({ baseUrl, token: 'mta_any' });
  const { data } = await owner.POST('/tokens/{address}/mint', {
    params: { path: { address: '0x3F336e965B777b4f76D74Fa09027B33189cb2841' } },
    body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2' },
    headers: { Prefer: 'example=erc721' },
  });
  expect(data).toMatchObject({ data: { tokenId: '1' } });
});
