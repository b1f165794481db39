import { expect, test } from '@jest/globals';
import { Router } from 'express';
import { networkOf } from '../../src/http/client-address.ts';
import { refusal, send, serve } from '../../lab/stage/serve.ts';

const limited = { requestsPerMinute: 3, anonymousRequestsPerMinute: 2 };

test('each account is counted by itself with all its credentials, and headers show what is left', async () => {
  await using service = await serve({ config: limited });
  const first = await send(service, 'GET /me', { as: 'access' });
  expect(first.status).toBe(200);
  expect(first.headers.get('ratelimit-policy')).toBe('"account";q=3;w=60');
  expect(first.headers.get('ratelimit')).toMatch(/^"account";r=2;t=(60|59)$/);
  await send(service, 'GET /me', { as: 'second' });
  await send(service, 'GET /me', { as: 'live' });

  const refused = await send(service, 'GET /me', { as: 'access' });
  expect(refused).toMatchObject({ status: 429, body: refusal('RATE_LIMITED', expect.any(String)) });
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit')).toMatch(/^"account";r=0;t=\d+$/);
  expect((await send(service, 'GET /me', { as: 'other' })).status).toBe(200);
});

test('requests without a valid credential are counted by address', async () => {
  await using service = await serve({ config: limited });
  expect((await send(service, 'GET /me')).status).toBe(401);
  expect((await send(service, 'GET /me', { as: 'garbage' })).status).toBe(401);
  const refused = await send(service, 'GET /me', { as: 'garbage' });
  expect(refused).toMatchObject({ status: 429, body: refusal('RATE_LIMITED', expect.any(String)) });
  expect(refused.headers.get('ratelimit-policy')).toBe('"address";q=2;w=60');
  expect((await send(service, 'GET /me', { as: 'access' })).status).toBe(200);
  expect((await send(service, 'GET /health')).status).toBe(200);
});

test('pages are counted by address, apart from the requests of the API', async () => {
  const router = Router().get('/shelf', (_request, response) => void response.send('a page'));
  const pages = [{ path: '/shelf', router }];
  await using service = await serve({ config: { ...limited, pagesPerMinute: 3 }, pages });
  for (const status of [200, 200, 200, 429]) {
    expect((await send(service, 'GET /shelf', { as: 'access' })).status).toBe(status);
  }
  const refused = await send(service, 'GET /shelf/below');
  expect(refused).toMatchObject({ status: 429, body: refusal('RATE_LIMITED', expect.any(String)) });
  expect(refused.headers.get('ratelimit-policy')).toBe('"pages";q=3;w=60');
  // Two are left to the API, of which an unknown path is no page.
  expect((await send(service, 'GET /me')).status).toBe(401);
  expect((await send(service, 'GET /nowhere')).status).toBe(404);
  expect((await send(service, 'GET /nowhere')).status).toBe(429);
});

test('the address is that of the connection unless a proxy is trusted', async () => {
  const ask = async (trustProxy: number): Promise<number[]> => {
    await using service = await serve({ config: { ...limited, trustProxy } });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${index}` };
      statuses.push((await send(service, 'GET /me', { headers })).status);
    }
    // A service behind a proxy without TRUST_PROXY logs one warning.
    expect(service.log().match(/set TRUST_PROXY/g)?.length ?? 0).toBe(trustProxy === 0 ? 1 : 0);
    return statuses;
  };
  expect(await ask(0)).toEqual([401, 401, 429]);
  expect(await ask(1)).toEqual([401, 401, 401]);
});

test('text of a proxy that is no address counts as the connection', async () => {
  await using service = await serve({ config: { ...limited, trustProxy: 1 } });
  const statuses: number[] = [];
  for (const said of ['unknown', '_hidden', '127.1']) {
    statuses.push((await send(service, 'GET /me', { headers: { 'x-forwarded-for': said } })).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
});

test('the port that a proxy adds makes no new client', async () => {
  await using service = await serve({ config: { ...limited, trustProxy: 1 } });
  const statuses: number[] = [];
  for (const port of [1_024, 1_025, 1_026]) {
    const headers = { 'x-forwarded-for': `192.0.2.7:${port}` };
    statuses.push((await send(service, 'GET /me', { headers })).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:443', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::192.0.2.7', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ...['', 'unknown', '127.1', '0x7f000001', '0177.0.0.1', '1.2.3.4.5', '1.2.3.4:x', '[1.2.3.4', '::1::'].map(
    (text) => [text, '198.51.100.1'] as const,
  ),
])('%s is counted as %s', (ip, network) => {
  expect(networkOf({ ip, socket: { remoteAddress: '198.51.100.1' } })).toBe(network);
});
