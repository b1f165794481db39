import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { freeJobs } from '../../src/db/jobs.ts';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { untilAnswered } from '../../lab/load/until-answered.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import type { ServiceProcess } from '../../lab/stage/service-process.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Received, Receiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { openTestDb } from '../../lab/stage/database.ts';

const ALLOWED = { WEBHOOK_ALLOW_PRIVATE: 'true' };

let receiver: Receiver;
const processes: ServiceProcess[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  for (const process of processes.splice(0)) await process.kill('SIGKILL');
  await receiver.stop();
});

/** Another process of the service, which does not outlive the test. */
async function spawn(environment: Record<string, string>, args: string[] = []): Promise<ServiceProcess> {
  const started = await spawnService(environment, args);
  processes.push(started);
  return started;
}

/** Minutes go by: whoever has held a job since then is no more. */
async function passMinutes(db: Db): Promise<void> {
  await query(
    db,
    `update graphile_worker._private_jobs set locked_at = locked_at - interval '4 minutes' where locked_at is not null`,
  );
  await query(
    db,
    `update webhook_deliveries set next_attempt_at = next_attempt_at - interval '4 minutes' where status = 'pending'`,
  );
  await freeJobs(db);
}

/** An account with a token, and then a webhook for all that comes after. Returns how to ask with its key. */
async function prepare(mintmark: TestService): Promise<{
  account: TestAccount;
  address: string;
  askTest(): Promise<string>;
}> {
  const account = await mintmark.register();
  const address = await deployToken(account);
  const { key } = await createKey(mintmark, account);
  const ask = createAsk(mintmark.url);
  const made = await ask({ token: key }, 'POST', '/v1/webhooks', { url: receiver.urlOf('hook') });
  const { id } = made.body as { id: string };
  return {
    account,
    address,
    askTest: async () =>
      ((await ask({ token: key }, 'POST', `/v1/webhooks/${id}/test`)).body as { id: string }).id,
  };
}

const of = (intentId: string | null, type: string) => (received: Received) =>
  received.message.data['id'] === intentId && received.message.type === type;

/** But those of a time to come. */
const countJobs = async (db: Db): Promise<{ waiting: number; locked: number }> =>
  (
    await query<{ waiting: number; locked: number }>(
      db,
      `select count(*) filter (where locked_at is null)::int as waiting,
              count(*) filter (where locked_at is not null)::int as locked
         from graphile_worker.jobs
        where task_identifier = 'deliver-webhook' and coalesce(key, '') not like 'webhooks later %'`,
    )
  )[0]!;

async function waitForJobs(db: Db, expected: { waiting: number; locked: number }): Promise<void> {
  for (let look = 0; look < 6_000; look += 1) {
    const { waiting, locked } = await countJobs(db);
    if (waiting === expected.waiting && locked === expected.locked) return;
    await sleep(50);
  }
  expect(await countJobs(db)).toEqual(expected);
}

test('what a reorg takes back is notified, and again when it is mined again; depth is not', async () => {
  await using anvil = await startAnvil({ blockTimeSeconds: 1 });
  await using mintmark = await startTestService(
    { ...ALLOWED, CONFIRMATIONS: '6', LOG_LEVEL: 'silent' },
    { rpcUrl: anvil.url },
  );
  // The reorg must not take back the contracts and roles that the start has made.
  await anvil.call('anvil_mine', ['0x6']);
  const { account, address } = await prepare(mintmark);
  const { intentId } = await requestMint(account, address);
  const [first] = await receiver.waitForMessages(1, of(intentId, 'intent.confirmed'));
  await anvil.call('anvil_reorg', [3, []]);
  const [retracted] = await receiver.waitForMessages(1, of(intentId, 'intent.retracted'));
  expect(retracted!.message.data).toMatchObject({ status: 'submitted', error: null });
  const [, again] = await receiver.waitForMessages(2, of(intentId, 'intent.confirmed'));
  expect(again!.message.data).toMatchObject({ status: 'confirmed' });
  expect(new Set([first!.id, retracted!.id, again!.id]).size).toBe(3);
  const sequences = [first!, retracted!, again!].map(({ message }) => message.sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  expect(new Set(sequences).size).toBe(3);
  expect(await waitForQuiet(mintmark.service.context.db, 60_000)).toBe(0);
  await waitForJobs(mintmark.service.context.db, { waiting: 0, locked: 0 });
  const sent = receiver.received.filter(({ message }) => message.data['id'] === intentId);
  expect(sent.map(({ message }) => message.type)).toEqual([
    'intent.confirmed',
    'intent.retracted',
    'intent.confirmed',
  ]);
});

test('kill -9 between the verdict and the delivery loses no message', async () => {
  await using mintmark = await startTestService(ALLOWED);
  const { account, address } = await prepare(mintmark);
  await mintmark.service.stop();
  await using db = openTestDb(mintmark.databaseUrl, 1);
  const dying = await spawn({ ...mintmark.environment, CRASH_AT: 'settled:1' });
  await requestMint(account, address).catch(() => undefined);
  await dying.ended;
  const [intent] = await query<{ id: string; status: string }>(
    db,
    'select id, status from intents order by number desc limit 1',
  );
  expect(intent!.status).toBe('confirmed');
  const next = await spawn(mintmark.environment);
  // The dying process may have taken the job in its last millisecond, and even have sent it.
  await passMinutes(db);
  const [message] = await receiver.waitForMessages(1);
  expect(message!.message).toMatchObject({ type: 'intent.confirmed', data: { id: intent!.id } });
  await next.kill('SIGTERM');
});

test('kill -9 in the middle of a delivery sends it again, with the same id', async () => {
  await using mintmark = await startTestService(ALLOWED);
  const { account, address } = await prepare(mintmark);
  await mintmark.service.stop();
  await using db = openTestDb(mintmark.databaseUrl, 1);
  receiver.answer(() => undefined);
  const dying = await spawn(mintmark.environment);
  await requestMint(account, address);
  const [first] = await receiver.waitForMessages(1);
  await dying.kill('SIGKILL');
  receiver.answer((response) => void response.writeHead(204).end());
  const next = await spawn(mintmark.environment);
  await freeJobs(db);
  expect(await countJobs(db)).toEqual({ waiting: 0, locked: 1 });
  await passMinutes(db);
  const [, second] = await receiver.waitForMessages(2);
  expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
  await waitForJobs(db, { waiting: 0, locked: 0 });
  await next.kill('SIGTERM');
});

test('a stop hands back what is under way, and does not count it as an attempt', async () => {
  await using mintmark = await startTestService(ALLOWED);
  await using db = openTestDb(mintmark.databaseUrl, 1);
  const { askTest } = await prepare(mintmark);
  receiver.answer(() => undefined);
  const delivery = await askTest();
  await receiver.waitForMessages(1);
  const startedAt = Date.now();
  await mintmark.service.stop();
  expect(Date.now() - startedAt).toBeLessThan(60_000);
  expect(await countJobs(db)).toEqual({ waiting: 1, locked: 0 });
  const [row] = await query<object>(
    db,
    'select status, attempts, error from webhook_deliveries where id = :delivery',
    { delivery },
  );
  expect(row).toEqual({ status: 'pending', attempts: 0, error: null });
  receiver.answer((response) => void response.writeHead(204).end());
  await mintmark.restart().catch(() => undefined);
  const [, second] = await receiver.waitForMessages(2);
  expect(second!.id).toBe(delivery);
});

test('two replicas deliver each message once; one that only serves the API delivers none', async () => {
  const MINTS = 60;
  await using mintmark = await startTestService(ALLOWED);
  const second = await spawn(mintmark.environment, ['--role', 'engine']);
  const { account, address } = await prepare(mintmark);
  const answers = await Promise.all(Array.from({ length: MINTS }, () => requestMint(account, address)));
  await receiver.waitForMessages(MINTS);
  await waitForJobs(mintmark.service.context.db, { waiting: 0, locked: 0 });
  expect(receiver.received.map(({ message }) => message.data['id']).sort()).toEqual(
    answers.map(({ intentId }) => intentId).sort(),
  );
  await second.kill('SIGTERM');
  await mintmark.service.stop();
  const { SIGNER_KEY: _key, ...environment } = mintmark.environment;
  const api = await spawn({ ...environment, OPERATOR_ADMIN: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }, [
    '--role',
    'api',
  ]);
  await using db = openTestDb(mintmark.databaseUrl, 1);
  await query(
    db,
    `update webhook_deliveries set status = 'pending', next_attempt_at = now()
      where number = (select max(number) from webhook_deliveries)`,
  );
  await query(
    db,
    `select graphile_worker.add_job('deliver-webhook', json_build_object('account', id)) from accounts`,
  );
  await sleep(2_000);
  expect(await countJobs(db)).toEqual({ waiting: 1, locked: 0 });
  expect(receiver.received).toHaveLength(MINTS);
  await api.kill('SIGTERM');
});

test('the jobs go on when PostgreSQL has crashed', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-jobs-'));
  await using postgres = await startEmbeddedPostgres({ dataDir: folder.path, log: () => undefined });
  await using mintmark = await startTestService({
    ...ALLOWED,
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'silent',
  });
  const { account, address, askTest } = await prepare(mintmark);
  await askTest();
  await receiver.waitForMessages(1);
  const { db } = mintmark.service.context;
  for (let crash = 0; crash < 2; crash += 1) {
    const [backend] = await untilAnswered(() => query<{ pid: number }>(db, 'select pg_backend_pid() as pid'));
    process.kill(backend!.pid, 'SIGKILL');
    await untilAnswered(() => query(db, 'select 1'));
  }
  const { intentId } = await requestMint(account, address);
  await receiver.waitForMessages(1, of(intentId, 'intent.confirmed'));
});
