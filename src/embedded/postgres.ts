import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DATABASE_USER, createCluster, isOfThisBoot } from './cluster.ts';
import type { Cluster, ClusterData } from './cluster.ts';
import { endPostmaster, stopOrphan } from './postmaster.ts';
import { processStart } from './process-identity.ts';
import { findServerAccount } from './server-account.ts';
import { findClusterHome, findServer } from './server-files.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { isLocked, takeServiceLock } from './service-lock.ts';

interface EmbeddedPostgresOptions {
  /** Folder of the cluster, its password, its port and its lock; created when missing. Nothing else may be in it. */
  dataDir: string;
  log: (message: string) => void;
  /**
   * `lasting` (the default): every commit is on disk, and the data is there at the next start. `throwaway`: begins
   * empty, does not wait for the disk, and is erased by `stop`. `reused`: does not wait for the disk either. It begins
   * with what is left of the start before, or empty when the machine went down since, or the server does not start on
   * it: whoever wants an empty database makes one.
   */
  data?: ClusterData;
  /** Called as soon as there is nothing to do but to wait for other processes. */
  onWait?: () => void;
}

export interface EmbeddedPostgres {
  /** Connection string of the superuser, on 127.0.0.1. */
  url: string;
  /** Resolves with one sentence when the server ends without `stop`. */
  ended: Promise<string>;
  /** Ends the server with a fast shutdown and waits for its end. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL of its own in `dataDir`. It ends with this process, even when that is killed; one that should
 * survive that is stopped by the next start.
 * @throws Error with one sentence when another service uses the folder, or when PostgreSQL cannot run here
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres & AsyncDisposable> {
  await mkdir(options.dataDir, { recursive: true }).catch(explain(options.dataDir));
  const dataDir = await realpath(options.dataDir);
  await using opening = new AsyncDisposableStack();
  const lock = await takeServiceLock(dataDir).catch(explain(dataDir));
  opening.defer(() => lock.release());
  const running = await start({ ...options, dataDir }).catch(explain(dataDir));
  opening.defer(() => running.stop());
  const opened = opening.move();
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= opened.disposeAsync());
  return { ...running, stop, [Symbol.asyncDispose]: stop };
}

/** Returns the URL of the PostgreSQL that a running service has started in `dataDir`; undefined when none has. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  if (!(await isLocked(dataDir))) return undefined;
  const read = (name: string) => readFile(path.join(dataDir, name), 'utf8').catch(() => '');
  const [password, port] = await Promise.all([read('password'), read('port')]);
  return password && port.trim() ? urlOf(password, Number(port)) : undefined;
}

function urlOf(password: string, port: number): string {
  return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/postgres`;
}

async function start({
  dataDir,
  log,
  data = 'lasting',
  onWait,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = await findServerAccount(path.join(dataDir, 'cluster'));
  await stopOrphan(path.join(dataDir, 'cluster'), log);
  const [server, home] = await Promise.all([findServer(account), findClusterHome(dataDir, account)]);
  const cluster = path.join(home, 'cluster');
  await stopOrphan(cluster, log);
  const erase = (): Promise<void> => rm(cluster, { recursive: true, force: true });
  const isReused = data === 'reused' && (await isOfThisBoot(cluster));
  if (data !== 'lasting' && !isReused) await erase();
  const password = await preparePassword(dataDir, cluster, log);
  const options: Cluster = { server, home, cluster, account, data };
  const open = async (): Promise<ServerProcess> => {
    if (!existsSync(cluster)) await createCluster(options, password, onWait);
    return startServer(options, dataDir, onWait);
  };
  const { child, pid, port } = await open().catch(async (error: unknown) => {
    if (!isReused) throw error;
    await erase();
    return open();
  });

  const identity = (await processStart(pid)) ?? '';
  const exit = child.exitCode === null ? once(child, 'exit') : Promise.resolve();
  let isStopping = false;
  return {
    url: urlOf(password, port),
    ended: new Promise((resolve) => {
      void exit.then(() => {
        if (!isStopping)
          resolve(`The embedded PostgreSQL has ended; ${path.join(dataDir, 'postgres.log')} says why.`);
      });
    }),
    stop: async () => {
      isStopping = true;
      child.stdin?.end();
      await endPostmaster(pid, identity);
      await exit;
      if (data === 'throwaway') await erase();
    },
  };
}

/**
 * Reads or creates the password. A cluster without one is left from an erased data folder: it is set aside, not reused.
 */
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

const FOLDER_FAILURES: Record<string, string> = {
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
  EROFS: 'is on a disk that is read-only',
  ENOSPC: 'is on a disk that is full',
  ENOTDIR: 'is not a folder',
  EEXIST: 'is not a folder',
};

/** Returns a handler that throws one sentence for an error of the file system, and other errors as they are. */
function explain(dataDir: string) {
  return (error: NodeJS.ErrnoException): never => {
    const reason = FOLDER_FAILURES[error.code ?? ''];
    if (!reason) throw error;
    throw new Error(`The data folder ${dataDir} ${reason}; correct that, or choose another DATA_DIR.`, {
      cause: error,
    });
  };
}
