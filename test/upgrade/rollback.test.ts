import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { release } from '../../src/db/release.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { emptyLog } from '../../lab/load/load.ts';
import { spawnService } from '../../lab/stage/service-process.ts';
import type { ServiceProcess } from '../../lab/stage/service-process.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import type { TestDatabase } from '../../lab/stage/database.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { makeRelease } from '../../lab/upgrade/make-release.ts';
import type { MadeRelease } from '../../lab/upgrade/make-release.ts';

/*
 * Three releases over one database: this one, one that expands its schema, and one that contracts it. Each is a process
 * with sources of its own. The tests go on from one to the next.
 */

const QUIET_MS = 120_000;
const PAUSE_MS = 20;
const THIS: MadeRelease = { folder: process.cwd(), version: release.version };
const names = ['a', 'b'] as const;
type Name = (typeof names)[number];

let folder: string;
let next: MadeRelease;
let later: MadeRelease;
let anvil: Anvil;
let database: TestDatabase;
let db: Db & AsyncDisposable;
const ports = new Map<Name, number>();
const running = new Map<Name, ServiceProcess>();
/** Those that a proxy in front of them would use. */
const inUse = new Set<Name>();
/** Errors of the replicas: why a request failed. */
const logged: string[] = [];
const invite = randomUUID();
let token: string;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-rollback-'));
  const expansion = { file: '900-next-release.ts', name: 'nextRelease' };
  const contraction = { file: '910-contraction.ts', name: 'contraction' };
  [next, later, anvil, database] = await Promise.all([
    makeRelease(path.join(folder, 'next'), '98.0.0', [expansion]),
    makeRelease(path.join(folder, 'later'), '99.0.0', [expansion, contraction]),
    startAnvil({ blockTimeSeconds: 0.5 }),
    createEmptyDatabase(),
  ]);
  db = createDb(database.url, 2);
  for (const name of names) ports.set(name, await findFreePort());
});

afterAll(async () => {
  await Promise.all([...running.values()].map((process) => process.kill('SIGKILL')));
  await db?.[Symbol.asyncDispose]();
  await Promise.all([anvil?.stop(), database?.drop()]);
  await rm(folder, { recursive: true, force: true });
});

const environmentOf = (name: Name): Record<string, string> => ({
  DATABASE_URL: database.url,
  RPC_URL: anvil.url,
  SIGNER_KEY: embeddedAccounts[0].privateKey,
  PORT: String(ports.get(name)),
  CONFIRMATIONS: '1',
  BOOTSTRAP_INVITES: invite,
  LOG_LEVEL: 'error',
});
const urlOf = (name: Name): string => `http://127.0.0.1:${ports.get(name)}`;
const clientOf = (name: Name) => ({ api: createMintmarkClient({ baseUrl: urlOf(name), token }) });

async function start(name: Name, { folder: sources }: MadeRelease): Promise<void> {
  const process = await spawnService(environmentOf(name), [], path.join(sources, 'src/main.ts'));
  process.child.stdout!.on('data', (chunk: Buffer) => void logged.push(`${name}: ${chunk.toString()}`));
  running.set(name, process);
  inUse.add(name);
}
async function stop(name: Name): Promise<void> {
  inUse.delete(name);
  await running.get(name)?.kill('SIGTERM');
  running.delete(name);
}
async function replace(name: Name, by: MadeRelease): Promise<void> {
  await stop(name);
  await start(name, by);
}

/** Mints and reads through the replicas in turn, until it is ended. */
function startLoad() {
  const log = emptyLog();
  const failures: string[] = [];
  let requests = 0;
  let isEnding = false;
  const one = async (index: number): Promise<void> => {
    const choice = [...inUse];
    const name = choice[index % choice.length]!;
    try {
      if (index % 3 === 0) {
        const { response } = await clientOf(name).api.GET('/stats');
        if (!response.ok) failures.push(`${index} at ${name}: ${response.status}`);
        return;
      }
      const prefer = index % 3 === 1 ? { prefer: 'respond-async' } : {};
      const { status, intentId, body } = await requestMint(clientOf(name), address, prefer);
      if (status < 300 && intentId) log.acknowledged.add(intentId);
      else failures.push(`${index} at ${name}: ${status} ${JSON.stringify(body)}`);
    } catch (error) {
      failures.push(`${index} at ${name}: ${inspect(error)}`);
    }
  };
  const run = async (): Promise<void> => {
    const open: Promise<void>[] = [];
    for (; !isEnding; await sleep(PAUSE_MS)) open.push(one(requests++));
    await Promise.all(open);
  };
  const ended = run();
  return {
    end: async () => {
      isEnding = true;
      await ended;
      return { requests, failures, log };
    },
    /** Until both replicas have had some requests. */
    more: async () => {
      const goal = requests + 40;
      while (requests < goal) await sleep(PAUSE_MS);
    },
  };
}

/** The release that began the last of its migrations, if it is complete. */
const readRelease = async () =>
  (
    await query<{ release: string }>(
      db,
      `select release from migration_releases join knex_migrations using (name) where name = '906-last-intents'`,
    )
  )[0]?.release;

test('two replicas are rolled forward and back under load, and no request fails', async () => {
  await start('a', THIS);
  await start('b', THIS);
  const person = { email: 'alice@example.com', password: 'correct horse battery' };
  const anonymous = createMintmarkClient({ baseUrl: urlOf('a') });
  await anonymous.POST('/v1/auth/register', { body: { ...person, inviteCode: invite } });
  await query(db, `update accounts set plan = 'PRO_PLUS'`);
  token = (await anonymous.POST('/auth/signin', { body: person })).data!.token;
  address = await deployToken(clientOf('a'));

  const load = startLoad();
  await load.more();
  expect(await readRelease()).toBeUndefined();
  // Forward: the first new one migrates, while the old one works. An old one may start once more.
  await replace('a', next);
  expect(await readRelease()).toBe('98.0.0');
  await load.more();
  await replace('b', THIS);
  await load.more();
  await replace('b', next);
  await load.more();
  // And back.
  await replace('a', THIS);
  await load.more();
  await replace('b', THIS);
  await load.more();
  const { requests, failures, log } = await load.end();
  expect({ failures, logged: failures.length > 0 ? logged : [] }).toEqual({ failures: [], logged: [] });
  expect(requests).toBeGreaterThan(200);

  expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
  const [operator] = await query<{ address: Hex }>(db, 'select address from operators where is_current');
  expect(await judge(db, anvil.url, operator!.address, log)).toMatchObject({ ...FLAWLESS, failed: 0 });
  const rows = await query<{ priority: number; count: number }>(
    db,
    `select priority, count(*)::int as count from intents where created_at >
       (select migration_time from knex_migrations where name = '900-next-release') group by 1 order by 1`,
  );
  // Both have written rows since.
  expect(rows).toEqual([
    { priority: 0, count: expect.any(Number) },
    { priority: 5, count: expect.any(Number) },
  ]);
});

const run = promisify(execFile);

test('a contraction lets the release before it work, and an older one refuse: the running one, its start and its commands', async () => {
  await replace('b', next);
  const admin = (of: MadeRelease, ...words: string[]) =>
    run(process.execPath, ['scripts/admin.ts', ...words], {
      cwd: of.folder,
      env: { ...process.env, ...environmentOf('a') },
    });
  const { stdout } = await admin(later, 'migrate');
  expect(stdout).toBe('The database has all migrations of release 99.0.0, up to 910-contraction.\n');
  const sentence =
    'The database has migration 910-contraction of release 99.0.0, for which a release has to know migration 900-next-release; ' +
    `this is release ${release.version}, which knows migrations up to ${release.migrations.at(-1)!.name}: ` +
    'start release 99.0.0, or one between them that knows 900-next-release';

  let ready: unknown;
  for (let tries = 0; tries < 300; tries += 1) {
    ready = await (await fetch(`${urlOf('a')}/ready`)).json();
    if (JSON.stringify(ready).includes('910-contraction')) break;
    await sleep(100);
  }
  expect(JSON.stringify(ready)).toContain(sentence);
  expect((await requestMint(clientOf('a'), address)).status).toBe(500);
  expect((await requestMint(clientOf('b'), address)).status).toBe(200);
  await stop('a');
  const starting = run(process.execPath, ['src/main.ts'], {
    env: { ...process.env, ...environmentOf('a') },
  });
  await expect(starting).rejects.toMatchObject({ code: 1, stderr: `${sentence}\n` });
  await expect(admin(THIS, 'accounts', 'list')).rejects.toMatchObject({ code: 1, stderr: `${sentence}\n` });
});
