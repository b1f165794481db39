import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { endInTime } from '../../src/start/end-in-time.ts';
import { startPostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import type { PostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import { until } from '../setup/until.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** Long for a busy machine that answers, and short for a test. */
const databaseTimings = { connectMs: 2_000, queryMs: 2_000, maxSilenceMs: 8_000, lookMs: 500 };

let stack = new AsyncDisposableStack();

afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

async function boot(): Promise<{ proxy: PostgresProxy; mintmark: TestService }> {
  const database = stack.use(await createTestDatabase());
  const proxy = stack.use(await startPostgresProxy(database.url));
  const mintmark = await startTestService(
    { DATABASE_URL: proxy.url, DATABASE_POOL_SIZE: '2', WAIT_TIMEOUT_MS: '1000' },
    { databaseTimings, drain: { idleMs: 50, hurryMs: 500, cutMs: 1_000 } },
  );
  stack.defer(async () => {
    proxy.speak();
    proxy.cut();
    await mintmark.stop();
  });
  return { proxy, mintmark };
}

async function ready({ url }: TestService): Promise<{ status: number; message: string }> {
  const response = await fetch(`${url}/ready`);
  const { message = '' } = (await response.json()) as { message?: string };
  return { status: response.status, message };
}

test('/ready answers in time while the database is silent and the pool is exhausted, and so it does afterwards', async () => {
  const { proxy, mintmark } = await boot();
  const account = await mintmark.register();
  expect(await ready(mintmark)).toMatchObject({ status: 200 });
  proxy.silence();
  const requests = Array.from({ length: 20 }, () => account.api.GET('/me'));
  await sleep(1_100);
  const began = performance.now();
  expect(await ready(mintmark)).toEqual({ status: 503, message: 'The database does not answer.' });
  expect(performance.now() - began).toBeLessThan(5_000);
  proxy.speak();
  await until(async () => (await ready(mintmark)).status === 200);
  await Promise.all(requests);
  expect((await account.api.GET('/me')).data?.email).toBe(account.email);
});

test('connections that went silent under a service are replaced, and it goes on', async () => {
  const { proxy, mintmark } = await boot();
  const account = await mintmark.register();
  proxy.forget();
  await until(async () => (await account.api.GET('/me')).response.status === 200);
  await until(async () => (await ready(mintmark)).status === 200);
});

test('a service whose database is silent for too long says so, and is to be started again', async () => {
  const { proxy, mintmark } = await boot();
  proxy.silence();
  expect(await mintmark.service.context.broken).toMatch(/database has answered nothing for \d+ seconds/);
});

test('stopping ends in time, and sooner while the database is silent', async () => {
  const endOf = async (hopeless: string | null): Promise<{ sentence: string; ms: number }> => {
    const began = performance.now();
    const sentence = await new Promise<string>((resolve) =>
      endInTime({ atMostMs: 3_000, whenHopelessMs: 500 }, () => hopeless, resolve),
    );
    return { sentence, ms: performance.now() - began };
  };
  const [busy, silent] = await Promise.all([endOf(null), endOf('the database is silent')]);
  expect(silent.sentence).toMatch(/the database is silent/);
  expect(busy.sentence).toMatch(/not everything came to its end/);
  expect(busy.ms).toBeGreaterThanOrEqual(2_990);
  expect(silent.ms).toBeLessThan(busy.ms);
});

test('SIGTERM ends a service within 20 seconds while its database is silent', async () => {
  const { proxy, mintmark } = await boot();
  await mintmark.service.stop();
  const spawned = await spawnService({ ...mintmark.environment, WAIT_TIMEOUT_MS: '60000' });
  proxy.silence();
  const began = performance.now();
  await spawned.kill('SIGTERM');
  expect(performance.now() - began).toBeLessThan(20_000);
});
