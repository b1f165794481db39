import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.ts';
import { endPostmaster, readPostmaster, stopOrphan } from './postmaster.ts';
import { processStart } from './process-identity.ts';
import { findServerAccount } from './server-account.ts';
import type { ServerAccount } from './server-account.ts';
import { findClusterHome, findServer, giveTo } from './server-files.ts';
import { isLocked, takeServiceLock } from './service-lock.ts';

export type EmbeddedPostgresOptions = {
  /** Folder for the cluster, its password, its port and its lock; made when missing. Nothing else may live in it. */
  dataDir: string;
  log: (message: string) => void;
  /**
   * `lasting` (the default): every commit is on disk, and the data is there at the next start.
   * `throwaway`: begins empty, does not wait for the disk, and is erased by `stop`.
   */
  data?: 'lasting' | 'throwaway';
};

export type EmbeddedPostgres = {
  /** Connection string of the superuser, on 127.0.0.1. */
  url: string;
  /** Resolves with one sentence when the server ends without being asked to. */
  ended: Promise<string>;
  /** Ends the server in the fast way and waits for its end. May be called twice. */
  stop(): Promise<void>;
};

type Server = { child: ChildProcess; pid: number; port: number };

const user = 'mintmark';
const startTime = 120_000;

/**
 * Starts a PostgreSQL of its own in `dataDir`. It ends with this process, however that ends; one that outlived it all
 * the same is stopped by the next start.
 * @throws Error with one sentence when another service uses the folder, or when PostgreSQL cannot run here
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true }).catch(explain(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  const lock = await takeServiceLock(dataDir).catch(explain(dataDir));
  try {
    const running = await start({ ...options, dataDir }).catch(explain(dataDir));
    return { ...running, stop: () => running.stop().finally(() => lock.release()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Where the PostgreSQL answers that a running service has started in `dataDir`; undefined when none does. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  if (!(await isLocked(dataDir))) return undefined;
  const read = (name: string) => readFile(path.join(dataDir, name), 'utf8').catch(() => '');
  const [password, port] = await Promise.all([read('password'), read('port')]);
  return password && port.trim() ? urlOf(password, Number(port)) : undefined;
}

const urlOf = (password: string, port: number): string =>
  `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;

async function start({ dataDir, log, data = 'lasting' }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = await findServerAccount(path.join(dataDir, 'cluster'));
  await stopOrphan(path.join(dataDir, 'cluster'), log);
  const [server, home] = await Promise.all([findServer(account), findClusterHome(dataDir, account)]);
  const cluster = path.join(home, 'cluster');
  await stopOrphan(cluster, log);
  if (data === 'throwaway') await rm(cluster, { recursive: true, force: true });
  const password = await preparePassword(dataDir, cluster, log);
  if (!existsSync(cluster)) await createCluster({ server, home, cluster, account, password, data });
  const { child, pid, port } = await startServer({ server, dataDir, home, cluster, account, data });

  const identity = (await processStart(pid)) ?? '';
  const exit = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
  let stopping: Promise<void> | undefined;
  const end = async () => {
    child.stdin?.end();
    await endPostmaster(pid, identity);
    await exit;
    if (data === 'throwaway') await rm(cluster, { recursive: true, force: true });
  };
  return {
    url: urlOf(password, port),
    ended: new Promise((resolve) => {
      void exit.then(() => {
        if (!stopping)
          resolve(`The embedded PostgreSQL has ended; ${path.join(dataDir, 'postgres.log')} says why.`);
      });
    }),
    stop: () => (stopping ??= end()),
  };
}

/** A cluster whose password is gone was left by a data folder that somebody erased: it is set aside, not reused. */
async function preparePassword(
  dataDir: string,
  cluster: string,
  log: (message: string) => void,
): Promise<string> {
  const file = path.join(dataDir, 'password');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known) return known;
  if (existsSync(cluster)) {
    const aside = `${cluster}-${Date.now()}`;
    await rename(cluster, aside);
    log(`The password of the database in ${cluster} is gone, so it was set aside as ${aside}.`);
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

type ClusterOptions = {
  server: string;
  home: string;
  cluster: string;
  account: ServerAccount;
  password: string;
  data: 'lasting' | 'throwaway';
};

/** Makes the cluster beside its place and moves it there once it is whole, so that a half-made one is never started. */
async function createCluster({
  server,
  home,
  cluster,
  account,
  password,
  data,
}: ClusterOptions): Promise<void> {
  const draft = path.join(home, 'cluster.new');
  const passwordFile = path.join(home, 'cluster.password');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await Promise.all([giveTo(account, draft), giveTo(account, passwordFile)]);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${passwordFile}`];
  const speed = data === 'throwaway' ? ['--no-sync', '--no-instructions'] : ['--no-instructions'];
  try {
    await promisify(execFile)(
      path.join(server, 'bin', 'initdb'),
      ['-D', draft, ...locale, ...access, ...speed],
      {
        ...account,
        cwd: home,
        env: serverEnvironment,
      },
    );
    await rename(draft, cluster);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Fixed, so that neither the user's locale nor libpq's variables change what the server does. */
const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

type ServerOptions = Omit<ClusterOptions, 'password'> & { dataDir: string };

/** Between choosing a port and listening on it another process may take it; then another one is tried. */
async function startServer(options: ServerOptions): Promise<Server> {
  const { dataDir } = options;
  const portFile = path.join(dataDir, 'port');
  const logFile = path.join(dataDir, 'postgres.log');
  const former = Number(await readFile(portFile, 'utf8').catch(() => '0'));
  for (let attempt = 0; ; attempt += 1) {
    const port = await findFreePort(attempt === 0 ? former : 0);
    const started = await tryStart(options, port, logFile);
    if (started) {
      await writeFile(portFile, `${port}\n`);
      return started;
    }
    const said = await readFile(logFile, 'utf8');
    const mayPass =
      /could not bind|could not create any TCP|shared memory block|lock file .* already exists/i.test(said);
    if (!mayPass || attempt === 20)
      throw new Error(`PostgreSQL did not start: ${lastWords(said)} (see ${logFile}).`);
    await sleep(250);
  }
}

/**
 * The server's parent is a shell that holds the other end of a pipe to this process. The pipe closes when this process
 * ends in whatever way, and the shell then ends the server. In a session of its own Ctrl-C does not reach it, so that
 * the service can finish what it is doing first. It also erases throw-away data, which so never piles up.
 */
const supervisor = `
  exec 3<&0 </dev/null
  "$@" 3<&- >&2 & server=$!
  echo $server
  exec >&2
  (read -r line <&3; kill -INT $server) & watch=$!
  exec 3<&-
  wait $server; code=$?
  kill $watch
  if [ "$ERASE_AFTERWARDS" ]; then rm -rf "$ERASE_AFTERWARDS"; fi
  exit $code`;

async function tryStart(options: ServerOptions, port: number, logFile: string): Promise<Server | undefined> {
  const { server, home, cluster, account, data } = options;
  const output = await open(logFile, 'w', 0o600);
  const command = [
    path.join(server, 'bin', 'postgres'),
    '-D',
    cluster,
    '-p',
    String(port),
    ...settings(data),
  ];
  const child = spawn('/bin/sh', ['-c', supervisor, 'sh', ...command], {
    ...account,
    cwd: home,
    env: data === 'throwaway' ? { ...serverEnvironment, ERASE_AFTERWARDS: cluster } : serverEnvironment,
    detached: true,
    stdio: ['pipe', 'pipe', output.fd],
  });
  const spawned = once(child, 'spawn');
  await output.close();
  await spawned;
  child.stdin?.on('error', () => undefined);
  const pid = await new Promise<number>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once('exit', () => resolve(0));
  });
  for (const end = Date.now() + startTime; child.exitCode === null && Date.now() < end; await sleep(15)) {
    const state = await readPostmaster(cluster);
    if (state?.pid === pid && state.isReady) return { child, pid, port };
  }
  child.stdin?.end();
  return undefined;
}

function settings(data: 'lasting' | 'throwaway'): string[] {
  const always = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    huge_pages: 'off',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // The text of a failed statement could hold what must not be in a log.
    log_min_error_statement: 'panic',
  };
  const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const all = data === 'throwaway' ? { ...always, ...careless } : always;
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function lastWords(text: string): string {
  const fatal = /(?:FATAL|PANIC):\s*(.*)/.exec(text)?.[1];
  return fatal ?? text.trim().split('\n').at(-1) ?? 'it gave no reason';
}

/** Turns what the system says of a file into a sentence; what is one already passes through. */
function explain(dataDir: string) {
  const reasons: Record<string, string> = {
    EACCES: `cannot be written by this user`,
    EPERM: `cannot be written by this user`,
    EROFS: `is on a disk that is read-only`,
    ENOSPC: `is on a disk that is full`,
    ENOTDIR: `is not a folder`,
    EEXIST: `is not a folder`,
  };
  return (error: NodeJS.ErrnoException): never => {
    const reason = reasons[error.code ?? ''];
    if (!reason) throw error;
    throw new Error(`The data folder ${dataDir} ${reason}; mend that, or choose another DATA_DIR.`, {
      cause: error,
    });
  };
}
