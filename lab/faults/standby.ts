import { once } from 'node:events';
import { chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServerAccount } from '../../src/embedded/server-account.ts';
import { findServer, giveTo } from '../../src/embedded/server-files.ts';
import { startServer } from '../../src/embedded/server-process.ts';
import { openSession } from '../stage/session.ts';
import { startPostgresProxy } from '../proxies/postgres-proxy.ts';

/** A streaming replica of a PostgreSQL, asynchronous and readable. */
export interface Standby extends AsyncDisposable {
  /** The primary's connection string, with this server in its place: same users, passwords and databases. */
  url: string;
  /** Waits until it has applied everything that the primary has committed. */
  catchUp(): Promise<void>;
  /** What the primary commits from now on, it does not get: a promotion loses that. */
  cutStream(): void;
  /** Makes it a primary of its own. */
  promote(): Promise<void>;
  /** Ends it and erases its data. */
  stop(): Promise<void>;
}

const CATCH_UP_MS = 120_000;

/**
 * Copies a running server of this machine, and starts the copy as its standby. The embedded PostgreSQL and one of
 * `startOwnPostgres` both let their superuser replicate.
 * @param primary connection string of its superuser, to the server itself
 */
export async function startStandby(primary: string): Promise<Standby> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-standby-'));
  const cluster = path.join(folder, 'cluster');
  // Commits reach the standby through a proxy that can be told to stop that.
  const stream = await startPostgresProxy(primary);
  const account = await copyCluster(primary, cluster);
  await giveTo(account, folder);
  await writeSettings(cluster, stream.url);
  await giveTo(account, path.join(cluster, 'standby.signal'));
  const server = await findServer(account);
  const options = { server, home: folder, cluster, account, data: 'throwaway' } as const;
  const { child, port } = await startServer(options, folder);
  const own = new URL(primary);
  own.hostname = '127.0.0.1';
  own.port = String(port);
  const url = own.href;
  const stop = async (): Promise<void> => {
    const exit = child.exitCode === null ? once(child, 'exit') : undefined;
    child.stdin!.end();
    await exit;
    await stream.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    catchUp: async () => {
      // A commit that waits for the disk brings all before it there, from where the standby gets them.
      await ask(
        primary,
        `select set_config('synchronous_commit', 'on', false), pg_logical_emit_message(true, 'standby', '')`,
      );
      const [row] = await ask(primary, 'select pg_current_wal_flush_lsn()::text as lsn');
      const lsn = String(row!['lsn']);
      await until(
        async () => (await ask(url, `select pg_last_wal_replay_lsn() >= '${lsn}' as is`))[0]!['is'],
        'the standby does not catch up',
      );
    },
    cutStream: () => stream.refuse(),
    promote: async () => void (await ask(url, 'select pg_promote()')),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Copies the data while the server runs, as pg_basebackup does, which npm's package lacks. Returns its account. */
async function copyCluster(
  primary: string,
  cluster: string,
): Promise<Awaited<ReturnType<typeof findServerAccount>>> {
  await using session = await openSession(primary);
  const { rows } = await session.query<{ data_directory: string }>('show data_directory');
  const source = rows[0]!.data_directory;
  const account = await findServerAccount(source);
  await session.query(`select pg_backup_start('standby', true)`);
  await copyFolder(source, cluster);
  const stopped = await session.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(wait_for_archive => false)',
  );
  await writeFile(path.join(cluster, 'backup_label'), stopped.rows[0]!.labelfile);
  await giveTree(account, cluster);
  return account;
}

/** Files may come and go meanwhile: the log of the server knows of it. */
async function copyFolder(source: string, target: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      const filter = (file: string) => !file.endsWith('postmaster.pid') && !file.endsWith('postmaster.opts');
      await cp(source, target, { recursive: true, force: true, filter });
      // A copy that was tried again keeps the mode with which its folder was made, and PostgreSQL refuses that.
      await chmod(target, 0o700);
      return;
    } catch (error) {
      if (tries === 20 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function giveTree(account: Parameters<typeof giveTo>[0], folder: string): Promise<void> {
  await giveTo(account, folder);
  if (!account) return;
  for (const entry of await readdir(folder, { recursive: true }))
    await giveTo(account, path.join(folder, entry));
}

async function writeSettings(cluster: string, primary: string): Promise<void> {
  const { hostname, port, username, password } = new URL(primary);
  const connection = Object.entries({
    host: hostname,
    port,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    application_name: 'standby',
  });
  const settings = [
    `primary_conninfo = '${connection.map(([name, value]) => `${name}=${value}`).join(' ')}'`,
    // Looks for the primary again at once, and tells it often how far it is.
    `wal_retrieve_retry_interval = '200ms'`,
    `hot_standby = on`,
  ];
  await writeFile(path.join(cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  await writeFile(path.join(cluster, 'standby.signal'), '');
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  await using session = await openSession(url);
  return (await session.query<Record<string, unknown>>(sql)).rows;
}

/** Repeats a question until its answer is yes. */
async function until(question: () => Promise<unknown>, complaint: string): Promise<void> {
  for (const end = Date.now() + CATCH_UP_MS; Date.now() < end; await sleep(50)) {
    if (await question().catch(() => false)) return;
  }
  throw new Error(complaint);
}
