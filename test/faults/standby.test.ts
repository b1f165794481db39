import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { openSession } from '../../lab/stage/session.ts';
import { startPostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import { startStandby } from '../../lab/faults/standby.ts';

const within = <T>(ms: number, work: Promise<T>): Promise<T | 'late'> =>
  Promise.race([work, sleep(ms, 'late' as const)]);

async function ask(url: string, sql: string): Promise<unknown[]> {
  await using session = await openSession(url);
  const { rows } = await session.query<unknown[]>({ text: sql, rowMode: 'array' });
  return rows.flat();
}

test('a promoted standby lacks what the primary committed after the stream was cut', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-primary-'));
  await using primary = await startEmbeddedPostgres({
    dataDir: folder.path,
    data: 'throwaway',
    log: () => undefined,
  });
  await ask(primary.url, 'create table t (n int)');
  await using standby = await startStandby(primary.url);
  await using proxy = await startPostgresProxy(primary.url);

  await ask(proxy.url, 'insert into t values (1)');
  await standby.catchUp();
  expect(await ask(standby.url, 'select n from t')).toEqual([1]);
  await expect(ask(standby.url, 'insert into t values (7)')).rejects.toThrow('read-only transaction');
  standby.cutStream();
  await ask(proxy.url, 'insert into t values (2)');
  await standby.promote();
  proxy.switchTo(standby.url);
  await ask(proxy.url, 'insert into t values (3)');
  expect(await ask(proxy.url, 'select n from t order by n')).toEqual([1, 3]);
  expect(await ask(primary.url, 'select n from t order by n')).toEqual([1, 2]);

  proxy.silence();
  const question = ask(proxy.url, 'select 5');
  expect(await within(300, question)).toBe('late');
  proxy.speak();
  expect(await question).toEqual([5]);
});

test('forgotten connections stay silent, and new ones are served', async () => {
  await using proxy = await startPostgresProxy(process.env['TEST_DATABASE_URL']!);
  const client = new pg.Client(proxy.url);
  client.on('error', () => undefined);
  await client.connect();
  proxy.forget();
  const question = client.query('select 1');
  expect(await within(300, question)).toBe('late');
  expect(await ask(proxy.url, 'select 2')).toEqual([2]);
  expect(proxy.open()).toBe(1);
  const refused = expect(question).rejects.toThrow();
  proxy.refuse();
  await refused;
  await expect(ask(proxy.url, 'select 3')).rejects.toThrow();
  proxy.accept();
  expect(await ask(proxy.url, 'select 4')).toEqual([4]);
});
