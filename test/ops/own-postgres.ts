import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { findServerAccount } from '../../src/embedded/server-account.ts';
import type { ServerAccount } from '../../src/embedded/server-account.ts';
import { giveTo } from '../../src/embedded/server-files.ts';
import { until } from '../setup/until.ts';
import type { Identity } from '../../lab/stage/authority.ts';

const run = promisify(execFile);

/** A PostgreSQL as an operator runs it. */
export interface OwnPostgres {
  /** With these variables a shell finds its client programs, and they connect as its superuser. */
  environment: Record<string, string>;
  /** Connection string of a database in it. */
  urlOf(user: string, password: string, database: string): string;
  stop(): Promise<void>;
}

/** Ends the server when the pipe to this process closes, also when the test is killed. */
const SUPERVISOR = `exec 3<&0; "$@" 3<&- </dev/null & read -r line <&3; kill -INT $!; wait $!`;

/** What is configured; by default nothing. */
interface OwnPostgresOptions {
  /** Lines of postgresql.conf, like `max_connections=20`. */
  settings?: string[];
  /** Takes TLS connections as well, with this certificate. */
  tls?: Identity;
}

/**
 * Starts a PostgreSQL of whatever version is installed, with an empty cluster of its own.
 * @param program path of the server, from `findProgram('postgres', 'postgresql')`
 */
export async function startOwnPostgres(
  program: string,
  { settings = [], tls }: OwnPostgresOptions = {},
): Promise<OwnPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-own-postgres-'));
  const bin = path.dirname(program);
  const [cluster, passwordFile] = [path.join(folder, 'cluster'), path.join(folder, 'password')];
  const password = randomBytes(16).toString('hex');
  const [account, port] = [await findServerAccount(cluster), await findFreePort()];
  await writeFile(passwordFile, password, { mode: 0o600 });
  await Promise.all([giveTo(account, folder), giveTo(account, passwordFile)]);
  const options = ['--auth=scram-sha-256', '--username=postgres', `--pwfile=${passwordFile}`, '--no-sync'];
  // Without the locale of the environment, which may not be installed.
  const env = { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C', TZ: 'UTC' };
  await run('initdb', ['-D', cluster, '--encoding=UTF8', ...options], { ...account, env, cwd: folder });

  const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const secured = tls ? await writeIdentity(tls, folder, account) : [];
  const lines = [...own, ...secured, ...settings].flatMap((each) => ['-c', each]);
  const command = [program, '-D', cluster, '-p', String(port), ...lines];
  const child = spawn('sh', ['-c', SUPERVISOR, 'sh', ...command], {
    ...account,
    env,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  const environment = {
    ...env,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGPASSWORD: password,
  };
  const isReady = (): Promise<boolean> =>
    run('pg_isready', [], { env: environment }).then(
      () => true,
      () => false,
    );
  await until(isReady);
  return {
    environment,
    urlOf: (user, secret, database) => `postgres://${user}:${secret}@127.0.0.1:${port}/${database}`,
    stop: async () => {
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the settings that name its files, which only the server may read. */
async function writeIdentity(
  { key, cert }: Identity,
  folder: string,
  account: ServerAccount,
): Promise<string[]> {
  const files = { ssl_key_file: key, ssl_cert_file: cert };
  const settings = ['ssl=on'];
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    await giveTo(account, file);
    settings.push(`${name}=${file}`);
  }
  return settings;
}
