import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { findServerAccount } from '../../src/embedded/server-account.ts';
import { giveTo } from '../../src/embedded/server-files.ts';
import { until } from '../setup/until.ts';

/** A PgBouncer in front of a server. Disposal ends it. */
export interface PgBouncer extends AsyncDisposable {
  /** The connection string of the server, through it. */
  url: string;
}

/**
 * @param program from `findProgram('pgbouncer', 'pgbouncer')`
 * @param target connection string of a database with user and password
 */
export async function startPgBouncer(
  program: string,
  target: string,
  mode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-pgbouncer-'));
  const { hostname, port, username, password } = new URL(target);
  const [account, own] = [await findServerAccount(folder), await findFreePort()];
  const [settings, users] = [path.join(folder, 'pgbouncer.ini'), path.join(folder, 'users.txt')];
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = 20
`,
  );
  for (const file of [folder, settings, users]) await giveTo(account, file);
  const child = spawn(program, [settings], { ...account, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until(() => answers(own));
  const url = new URL(target);
  url.host = `127.0.0.1:${own}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}
