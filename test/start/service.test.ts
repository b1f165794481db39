import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { originOf } from '../../src/config.ts';
import { startTestService } from '../../lab/stage/service.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

test('an IPv6 address has brackets in URLs', () => {
  expect(originOf('::1', 3000)).toBe('http://[::1]:3000');
  expect(originOf('127.0.0.1', 3000)).toBe('http://127.0.0.1:3000');
});

test('HOST may be an IPv6 address; one that the machine does not have is refused with one sentence', async () => {
  await using mintmark = await startTestService();
  const metrics = { METRICS_HOST: '::1', METRICS_PORT: '0', PAGES_PER_MINUTE: '1' };
  const restarted = mintmark.restart({ HOST: '::1', ...metrics });
  if (!hasIpv6) {
    await expect(restarted).rejects.toThrow('METRICS_HOST is "::1", which is no address of this machine');
    return;
  }
  await restarted;
  const { url, metricsUrl } = mintmark.service;
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
  expect(metricsUrl).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
  expect(await (await fetch(metricsUrl!)).text()).toMatch(/^mintmark_ready 1$/m);
  // An address may scrape as often as it may open pages.
  const refused = await fetch(metricsUrl!);
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
  expect((await fetch(metricsUrl!.replace('/metrics', '/health'))).status).toBe(200);
});
