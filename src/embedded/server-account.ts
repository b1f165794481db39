import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The system user that PostgreSQL runs as. Undefined stands for the user who runs this process. */
export type ServerAccount = { uid: number; gid: number } | undefined;

const ownName = 'mintmark';

/**
 * PostgreSQL refuses to run as root. So root lends it another account: the owner of an existing cluster, the machine's
 * `mintmark` or `postgres`, and if there is neither, a new `mintmark`, which can do nothing but own these files.
 * @param cluster folder of the cluster, which need not exist yet
 * @throws Error with one sentence when root has no account to lend
 */
export async function findServerAccount(cluster: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp(ownName)) ?? (await lookUp('postgres')) ?? (await createAccount());
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([execute('id', ['-u', name]), execute('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<{ uid: number; gid: number }> {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  // Another start may have made it in the meantime, so what counts is that it is there afterwards.
  await execute('useradd', [...options, '--shell', '/usr/sbin/nologin', ownName]).catch(() => undefined);
  const account = await lookUp(ownName);
  if (account) return account;
  throw new Error(
    'PostgreSQL does not run as root, and the system user "mintmark" could not be made for it; ' +
      'start Mintmark as an ordinary user, or give it a DATABASE_URL.',
  );
}

/** Whether the account can do what a line of shell says; `arguments_` are its $1, $2 and so on. */
export async function accountCan(
  account: ServerAccount,
  line: string,
  arguments_: string[],
): Promise<boolean> {
  try {
    await execute('/bin/sh', ['-c', line, 'sh', ...arguments_], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
