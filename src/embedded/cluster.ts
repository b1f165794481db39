import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ServerAccount } from './server-account.ts';
import { bootOfMachine } from './process-identity.ts';
import { giveTo } from './server-files.ts';

/** Name of the superuser. */
export const DATABASE_USER = 'mintmark';

/** Fixed, so that neither the user's locale nor libpq's variables change what the server does. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** `lasting` waits for the disk, the others do not. */
export type ClusterData = 'lasting' | 'throwaway' | 'reused';

export interface Cluster {
  /** Folder of the server's `bin`, `lib` and `share`. */
  server: string;
  /** Folder of the cluster and of what belongs to it. */
  home: string;
  cluster: string;
  account: ServerAccount;
  data: ClusterData;
}

/** In a cluster that is reused: the run of the machine that it was made in. */
const BOOT_FILE = 'boot';

/** Creates a cluster under another name and renames it when it is whole, so that no half-made one is ever started. */
export async function createCluster(
  { server, home, cluster, account, data }: Cluster,
  password: string,
  onWait?: () => void,
): Promise<void> {
  const draft = path.join(home, 'cluster.new');
  const passwordFile = path.join(home, 'cluster.password');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await Promise.all([giveTo(account, draft), giveTo(account, passwordFile)]);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--auth=scram-sha-256', `--username=${DATABASE_USER}`, `--pwfile=${passwordFile}`];
  const speed = data === 'lasting' ? ['--no-instructions'] : ['--no-sync', '--no-instructions'];
  try {
    const made = promisify(execFile)(
      path.join(server, 'bin', 'initdb'),
      ['-D', draft, ...locale, ...access, ...speed],
      { ...account, cwd: home, env: SERVER_ENVIRONMENT },
    );
    onWait?.();
    await made;
    if (data === 'reused') await writeFile(path.join(draft, BOOT_FILE), (await bootOfMachine()) ?? '');
    await rename(draft, cluster);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Whether a cluster was made since the machine went up: what did not wait for the disk is broken when it went down. */
export async function isOfThisBoot(cluster: string): Promise<boolean> {
  const made = await readFile(path.join(cluster, BOOT_FILE), 'utf8').catch(() => '');
  return made !== '' && made === (await bootOfMachine());
}
