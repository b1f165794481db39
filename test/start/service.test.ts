import { networkInterfaces } from 'node:os';
import { expect, test } from '@jest/globals';
import { startTestService } from '../setup/service.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

(hasIpv6 ? test : test.skip)('HOST may be an IPv6 address: its URLs have brackets', async () => {
  const mintmark = await startTestService({ HOST: '::1', METRICS_HOST: '::1', METRICS_PORT: '0' });
  try {
    const { url, metricsUrl } = mintmark.service;
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
    expect(metricsUrl).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
    expect(await (await fetch(metricsUrl!)).text()).toMatch(/^mintmark_ready 1$/m);
  } finally {
    await mintmark.stop();
  }
});
