import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import type { MintmarkClient } from '../../generated/client.ts';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { acceptLoss, findPendingEpochs } from '../../src/engine/index.ts';
import { startService } from '../../src/start/service.ts';
import type { Service } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { until } from '../setup/until.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { startPostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import type { PostgresProxy } from '../../lab/proxies/postgres-proxy.ts';
import { startStandby } from '../../lab/faults/standby.ts';
import type { Standby } from '../../lab/faults/standby.ts';
import { administer, databaseUrl, prepareTemplate } from '../../lab/stage/template.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { openTestDb } from '../../lab/stage/database.ts';

const databaseTimings = { connectMs: 5_000, queryMs: 10_000, maxSilenceMs: 60_000, lookMs: 200 };
const stack = new AsyncDisposableStack();
let primaryUrl: string;

beforeAll(async () => {
  const { path: dataDir } = stack.use(await mkdtempDisposable(path.join(tmpdir(), 'mintmark-primary-')));
  const options = { dataDir, data: 'throwaway', log: () => undefined } as const;
  primaryUrl = stack.use(await startEmbeddedPostgres(options)).url;
});

afterAll(() => stack.disposeAsync(), 120_000);

const ready = async ({ url }: { url: string | null }): Promise<string> =>
  ((await (await fetch(`${url}/ready`)).json()) as { message?: string }).message ?? 'ready';

test('after a failover that lost commits a running service answers nothing until the loss is accepted', async () => {
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
  await until(async () => (await ready(mintmark)).includes('recover --accept-loss'));
  expect((await show()).response.status).toBe(500);
  const refused = await account.api.POST('/tokens/{address}/mint', {
    params: { path: { address: target!.address } },
    body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' },
  });
  expect(refused.response.status).toBe(500);
  expect(refused.error?.message).toMatch(/Nothing is accepted/);

  await using db = openTestDb(standby.url, 1);
  await acceptLoss(db);
  await until(async () => (await ready(mintmark)) === 'ready');
  const later = emptyLog();
  await mintOnce(target!, later);
  expect(later.acknowledged.size).toBe(1);
  await until(async () => {
    const [newest] = await query<{ epoch: bigint; status: string }>(
      db,
      'select epoch, status from intents order by number desc limit 1',
    );
    return newest!.epoch === 2n && newest!.status === 'confirmed';
  });
  await mintmark.restart();
  expect(await ready(mintmark)).toBe('ready');
});

/** One of two processes over one database, and its way there. */
interface Process {
  service: Service;
  proxy: PostgresProxy;
}

/** A mint that waits in the queue of a standby, though the primary has had it sent since. */
interface Failover extends AsyncDisposable {
  standby: Standby;
  /** Knows that it was sent. */
  witness: Process;
  /** An API process that looks for lost commits at its connections alone, and has written nothing. */
  replica: Process;
  /** Of the replica. */
  api: MintmarkClient;
  /** The mint. */
  id: string;
}

/** @param name of a new database */
async function loseDispatch(name: string): Promise<Failover> {
  await using opening = new AsyncDisposableStack();
  await administer(primaryUrl, `create database ${name}`);
  const primary = databaseUrl(primaryUrl, name);
  const standby = opening.use(await startStandby(primary));
  const proxy = opening.use(await startPostgresProxy(primary));
  const mintmark = opening.use(await startTestService({ DATABASE_URL: proxy.url }, { databaseTimings }));
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  const { db } = mintmark.service.context;
  await query(
    db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
  const log = emptyLog();
  await mintOnce(target!, log);
  const [id] = log.acknowledged;
  const replica = await startReplica(mintmark, primary, opening);
  await standby.catchUp();
  standby.cutStream();
  await query(db, `update lanes set lease_until = '-infinity'`);
  const show = () => account.api.GET('/intents/{id}', { params: { path: { id: id! } } });
  await until(async () => (await show()).data?.status === 'confirmed');
  const opened = opening.move();
  return {
    ...{ standby, replica, id: id! },
    witness: { service: mintmark.service, proxy },
    api: createMintmarkClient({ baseUrl: replica.service.url!, token: account.token }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startReplica(
  { environment }: TestService,
  primary: string,
  stack: AsyncDisposableStack,
): Promise<Process> {
  const proxy = stack.use(await startPostgresProxy(primary));
  const config = readConfig(['--role', 'api'], {
    ...environment,
    DATABASE_URL: proxy.url,
    PORT: '0',
    SIGNER_KEY: '',
    OPERATOR_ADMIN: embeddedAccounts[0].address,
  });
  const timings = { ...databaseTimings, lookMs: 3_600_000 };
  const service = await startService(config, createLogger(config.logLevel), { databaseTimings: timings });
  return { service: stack.use(service), proxy };
}

test('after a failover nothing is cancelled that a lost transaction may do, though nobody knows of one', async () => {
  await using failover = await loseDispatch('unknown_loss');
  const { standby, witness, replica, api, id } = failover;
  await witness.service.stop();
  await standby.promote();
  replica.proxy.switchTo(standby.url);
  const params = { path: { id } };
  expect((await api.GET('/intents/{id}', { params })).data?.status).toBe('queued');
  const { response, error } = await api.POST('/intents/{id}/cancel', { params });
  expect([response.status, error?.code]).toEqual([409, 'CONFLICT']);
});

test('after a failover that lost nothing but a cancel a running service answers nothing', async () => {
  await administer(primaryUrl, 'create database lost_cancel');
  const primary = databaseUrl(primaryUrl, 'lost_cancel');
  await using standby = await startStandby(primary);
  await using proxy = await startPostgresProxy(primary);
  await using mintmark = await startTestService({ DATABASE_URL: proxy.url }, { databaseTimings });
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  await query(
    mintmark.service.context.db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
  const log = emptyLog();
  await mintOnce(target!, log);
  const [id] = log.acknowledged;
  await standby.catchUp();
  standby.cutStream();
  const cancelled = await account.api.POST('/intents/{id}/cancel', { params: { path: { id: id! } } });
  expect(cancelled.data?.status).toBe('cancelled');
  await standby.promote();
  proxy.switchTo(standby.url);
  await until(async () => (await ready(mintmark)).includes('recover --accept-loss'));
});

test('after a failover that lost commits a process that knew none of them is stopped by one that did', async () => {
  await using failover = await loseDispatch('known_loss');
  const { standby, witness, replica, api, id } = failover;
  await standby.promote();
  witness.proxy.switchTo(standby.url);
  await until(async () => (await ready(witness.service)).includes('recover --accept-loss'));
  replica.proxy.switchTo(standby.url);
  const { response, error } = await api.POST('/intents/{id}/cancel', { params: { path: { id } } });
  expect(response.status).toBe(500);
  expect(error?.message).toMatch(/Nothing is accepted/);
  expect(await ready(replica.service)).toContain('recover --accept-loss');

  await using db = openTestDb(standby.url, 1);
  await acceptLoss(db);
  for (const { service } of [witness, replica]) await until(async () => (await ready(service)) === 'ready');
});

test('after a failover a call that reverts fails once lost transactions can do nothing for it any more', async () => {
  await using mintmark = await startTestService(
    { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '120000' },
    { databaseTimings },
  );
  const account = await mintmark.register();
  const token = await deployToken(account);
  await account.api.POST('/tokens/{address}/pause', { params: { path: { address: token } } });
  const { db } = mintmark.service.context;
  await query(
    db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
  const minting = requestMint(account, token);
  await until(async () => (await query(db, `select 1 from intents where status = 'queued'`)).length > 0);
  await query(db, `update server set identity = 'another'`);
  await until(async () => (await findPendingEpochs(db)).length > 0);
  await query(db, `update lanes set lease_until = '-infinity'`);
  expect((await minting).status).toBe(502);
  expect(await findPendingEpochs(db)).toEqual([]);
  expect((await requestMint(account, token)).status).toBe(502);
  await account.api.POST('/tokens/{address}/unpause', { params: { path: { address: token } } });
  expect((await requestMint(account, token)).status).toBe(200);
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
  // Refused until the sender has looked whether another one had sent what is lost.
  const log = emptyLog();
  await until(async () => {
    await mintOnce(target!, log);
    return log.acknowledged.size > 0;
  });
  expect(log.refused.every((status) => status === 500)).toBe(true);
});

test('a standby is refused with a sentence', async () => {
  await using standby = await startStandby(primaryUrl);
  await expect(migrate(standby.url)).rejects.toThrow('The database is read-only');
});
