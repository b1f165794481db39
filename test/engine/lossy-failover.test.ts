import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createDb, query } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { acceptGap } from '../../src/engine/index.ts';
import { until } from '../embedded/hold.ts';
import { deployTargets, emptyLog, mintOnce } from '../faults/load.ts';
import { startPostgresProxy } from '../faults/postgres-proxy.ts';
import type { PostgresProxy } from '../faults/postgres-proxy.ts';
import { startStandby } from '../faults/standby.ts';
import type { Standby } from '../faults/standby.ts';
import { prepareTemplate } from '../setup/template.ts';
import { startTestService } from '../setup/service.ts';
import type { TestService } from '../setup/service.ts';

const databaseTimings = { connectMs: 5_000, queryMs: 10_000, maxSilenceMs: 60_000, lookMs: 200 };
const stack = new AsyncDisposableStack();
let primaryUrl: string;

beforeAll(async () => {
  const { path: dataDir } = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-primary-')));
  const options = { dataDir, data: 'throwaway', log: () => undefined } as const;
  primaryUrl = stack.use(await startEmbeddedPostgres(options)).url;
});

afterAll(() => stack.disposeAsync(), 120_000);

const ready = async ({ url }: TestService): Promise<string> =>
  ((await (await fetch(`${url}/ready`)).json()) as { message?: string }).message ?? 'ready';

test('after a failover that lost commits a running service answers nothing until the gap is accepted', async () => {
  await using standby: Standby = await startStandby(primaryUrl);
  await using proxy: PostgresProxy = await startPostgresProxy(primaryUrl);
  await using mintmark = await startTestService({ DATABASE_URL: proxy.url }, { databaseTimings });
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  await standby.catchUp();
  standby.cutStream();
  const lost = emptyLog();
  await mintOnce(target!, lost);
  expect(lost.acknowledged.size).toBe(1);
  const [id] = lost.acknowledged;
  const show = () => account.api.GET('/intents/{id}', { params: { path: { id: id! } } });
  await until(async () => (await show()).data?.status === 'confirmed');

  await standby.promote();
  proxy.switchTo(standby.url);
  await until(async () => (await ready(mintmark)).includes('recover --accept-gap'));
  expect((await show()).response.status).toBe(500);
  const refused = await account.api.POST('/tokens/{address}/mint', {
    params: { path: { address: target!.address } },
    body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' },
  });
  expect(refused.response.status).toBe(500);
  expect(refused.error?.message).toMatch(/Nothing is accepted/);

  await using db = createDb(standby.url, 1);
  using rpc = createRpc([mintmark.chain.url]);
  const { next } = await acceptGap(db, rpc, mintmark.service.context.system.operator);
  expect(next).toBe(2n ** 32n + 1n);
  await until(async () => (await ready(mintmark)) === 'ready');
  const later = emptyLog();
  await mintOnce(target!, later);
  expect(later.acknowledged.size).toBe(1);
  await until(async () => {
    const [newest] = await query<{ number: bigint; status: string }>(
      db,
      'select number, status from intents order by number desc limit 1',
    );
    return newest!.number === next && newest!.status === 'confirmed';
  });
  await mintmark.restart();
  expect(await ready(mintmark)).toBe('ready');
});

test('of several hosts the service takes the one that writes, and finds the next one after a failover', async () => {
  await prepareTemplate(primaryUrl);
  await using standby = await startStandby(primaryUrl);
  await using proxy = await startPostgresProxy(primaryUrl);
  const several = new URL(primaryUrl);
  const { username, password } = several;
  const hosts = `127.0.0.1:${new URL(standby.url).port},127.0.0.1:${proxy.port}`;
  const url = `postgres://${username}:${password}@${hosts}/mintmark_template?target_session_attrs=read-write`;
  await using mintmark = await startTestService({ DATABASE_URL: url }, { databaseTimings });
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  await standby.catchUp();
  proxy.refuse();
  await standby.promote();
  await until(async () => (await ready(mintmark)) === 'ready');
  const log = emptyLog();
  await mintOnce(target!, log);
  expect(log.acknowledged.size).toBe(1);
});

test('a standby is refused with a sentence', async () => {
  await using standby = await startStandby(primaryUrl);
  await expect(migrate(standby.url)).rejects.toThrow('The database is read-only');
});
