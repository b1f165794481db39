import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { createJobPool } from '../../src/db/jobs.ts';
import { createNotifications } from '../../src/db/notifications.ts';
import { ServerRefused, createServerHealth } from '../../src/db/server-health.ts';
import type { ServerHealth } from '../../src/db/server-health.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startPostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import type { PostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/** Long for a busy machine that answers, and short for a test. */
const timeouts = { connectMs: 2_000, queryMs: 2_000 };
const MAX_SILENCE_MS = 5_000;
const log = createLogger('silent');

/** `direct` is not behind the proxy. */
const { db: direct, url } = useSuiteDatabase(1);
let proxy: PostgresProxy;
let health: ServerHealth;
let db: Db & AsyncDisposable;

beforeEach(async () => {
  proxy = await startPostgresProxy(url);
  health = createServerHealth(MAX_SILENCE_MS);
  db = createDb(proxy.url, 3, { timeouts, health });
});

afterEach(async () => {
  proxy.cut();
  await db[Symbol.asyncDispose]();
  await proxy.stop();
});

const ask = (sql: string) => query(db, sql);
async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
const ended = (): Promise<string | null> => Promise.race([health.ended, sleep(0, null)]);

test('a query over a connection that went silent fails in time, and the next one gets a new connection', async () => {
  await Promise.all([ask('select pg_sleep(0.1)'), ask('select pg_sleep(0.1)'), ask('select pg_sleep(0.1)')]);
  proxy.forget();
  const took = await seconds(async () => {
    const lost = await Promise.allSettled([ask('select 1'), ask('select 2'), ask('select 3')]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
  expect(took).toBeGreaterThan(1.5);
  expect(took).toBeLessThan(10);
  expect(await ask('select 4 as n')).toEqual([{ n: 4 }]);
  expect(await ended()).toBeNull();
});

test('the server gives a connection up after a minute without its client', async () => {
  const settings = await ask(
    `select name, setting, unit from pg_settings where name like 'tcp_keepalives%' order by name`,
  );
  expect(settings).toEqual([
    { name: 'tcp_keepalives_count', setting: '3', unit: null },
    { name: 'tcp_keepalives_idle', setting: '30', unit: 's' },
    { name: 'tcp_keepalives_interval', setting: '10', unit: 's' },
  ]);
});

test('a transaction over a connection that went silent is rejected, and its connection is not used again', async () => {
  const transaction = db.transaction(async (tx) => {
    await query(tx, 'select 1');
    proxy.forget();
    await query(tx, 'select 2');
  });
  await expect(transaction).rejects.toThrow();
  expect(await Promise.all([ask('select 3 as n'), ask('select 3 as n'), ask('select 3 as n')])).toEqual(
    Array.from({ length: 3 }, () => [{ n: 3 }]),
  );
});

test('a connection that is idle longer than a query may take is kept', async () => {
  const pid = () => ask('select pg_backend_pid() as pid');
  const before = await pid();
  await sleep(timeouts.queryMs + 500);
  expect(await pid()).toEqual(before);
});

test('a statement that takes too long is ended by the server, and leaves nothing behind', async () => {
  await expect(ask('select pg_sleep(60)')).rejects.toThrow('statement timeout');
  const running = await ask(
    `select 1 from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`,
  );
  expect(running).toEqual([]);
});

test('a database without any answer for too long ends the service, and one that refuses does not', async () => {
  await ask('select 1');
  proxy.refuse();
  for (const end = performance.now() + MAX_SILENCE_MS + 1_000; performance.now() < end; await sleep(200)) {
    await expect(ask('select 1')).rejects.toThrow();
  }
  expect(await ended()).toBeNull();
  expect(health.silentForMs()).toBe(0);

  proxy.accept();
  await ask('select 1');
  proxy.silence();
  const took = await seconds(async () => {
    while ((await ended()) === null) await ask('select 1').catch(() => undefined);
  });
  expect(took * 1_000).toBeGreaterThan(MAX_SILENCE_MS - 1_000);
  expect(await health.ended).toMatch(/answered nothing for \d+ seconds/);
});

test('an answer in between keeps the service alive', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    await ask('select 1');
    proxy.silence();
    await expect(ask('select 2')).rejects.toThrow();
    expect(health.silentForMs()).toBeGreaterThan(0);
    proxy.speak();
  }
  await ask('select 3');
  expect(health.silentForMs()).toBe(0);
  expect(await ended()).toBeNull();
});

test('the connection that listens is opened again when it went silent', async () => {
  const heard: string[] = [];
  await using notifications = await createNotifications(proxy.url, log, { timeouts, health });
  notifications.on('mintmark_settled', (payload) => heard.push(payload));
  proxy.forget();
  while (!heard.includes('again')) {
    await query(direct, `select pg_notify('mintmark_settled', 'again')`);
    await sleep(200);
  }
});

test('the pool of jobs does not keep a silent connection', async () => {
  const pool = createJobPool(proxy.url, 1, { timeouts, health });
  await pool.query('select 1');
  proxy.forget();
  await expect(pool.query('select 2')).rejects.toThrow('has not answered');
  expect((await pool.query<{ n: number }>('select 3 as n')).rows).toEqual([{ n: 3 }]);
  await pool.end();
});

test('a server that became read-only loses all connections, and new ones are refused until it takes writes', async () => {
  await query(db, 'create table if not exists written (n int)');
  const name = new URL(url).pathname.slice(1);
  const first = await query<{ pid: number }>(db, 'select pg_backend_pid() as pid');
  await query(db, `alter database ${name} set default_transaction_read_only = on`);
  // The session has the old setting still; that of a demoted server changes under it.
  await query(db, 'set default_transaction_read_only = on');
  await expect(ask('insert into written values (1)')).rejects.toThrow('read-only');
  await expect(ask('select 1')).rejects.toBeInstanceOf(ServerRefused);
  expect(health.refusal()).toMatch(/read-only/);
  await using admin = createDb(process.env['TEST_DATABASE_URL']!, 1);
  await query(admin, `alter database ${name} reset default_transaction_read_only`);
  expect(await query(db, 'select pg_backend_pid() as pid')).not.toEqual(first);
  await ask('insert into written values (1)');
  expect(health.refusal()).toBeNull();
});
