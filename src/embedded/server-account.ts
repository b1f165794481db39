import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

interface Account {
  uid: number;
  gid: number;
}

/** The system user that PostgreSQL runs as; undefined for the user of this process. */
export type ServerAccount = Account | undefined;

const ACCOUNT_NAME = 'mintmark';

/**
 * Returns the account for PostgreSQL, which refuses to run as root. For root it is the owner of an existing cluster,
 * the machine's `mintmark` or `postgres`, or else a new `mintmark` without a shell.
 * @param cluster folder of the cluster, which need not exist yet
 * @throws Error with one sentence when root can create no account
 */
export async function findServerAccount(cluster: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp(ACCOUNT_NAME)) ?? (await lookUp('postgres')) ?? (await createAccount());
}

async function lookUp(name: string): Promise<ServerAccount> {
  try {
    const [uid, gid] = await Promise.all([execute('id', ['-u', name]), execute('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function createAccount(): Promise<Account> {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  // A failure is ignored: another start may have created it meanwhile.
  await execute('useradd', [...options, '--shell', '/usr/sbin/nologin', ACCOUNT_NAME]).catch(() => undefined);
  const account = await lookUp(ACCOUNT_NAME);
  if (account) return account;
  throw new Error(
    'PostgreSQL does not run as root, and the system user "mintmark" could not be made for it; ' +
      'start Mintmark as an ordinary user, or give it a DATABASE_URL.',
  );
}

/** Whether a line of shell succeeds under the account. @param values its $1, $2 and so on */
export async function accountCan(account: ServerAccount, line: string, values: string[]): Promise<boolean> {
  try {
    await execute('/bin/sh', ['-c', line, 'sh', ...values], { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
