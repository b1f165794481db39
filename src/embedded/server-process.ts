import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVER_ENVIRONMENT } from './cluster.ts';
import type { Cluster, ClusterData } from './cluster.ts';
import { findFreePort } from './free-port.ts';
import { readPostmaster } from './postmaster.ts';

/** A running server. `child` is the shell that supervises it, `pid` the server itself. */
export interface ServerProcess {
  child: ChildProcess;
  pid: number;
  port: number;
}

const START_TIMEOUT_MS = 120_000;
const POLL_MS = 15;
const MAX_RETRIES = 20;
const RETRY_MS = 250;
/** A port that was taken meanwhile, or leftovers of a server that is about to end. */
const PASSING_FAILURE =
  /could not bind|could not create any TCP|shared memory block|lock file .* already exists/i;

/**
 * Starts the server on its former port, or on another one when that is taken: a port that was free can be taken before
 * the server listens on it.
 * @throws Error with one sentence and the name of the log file
 */
export async function startServer(
  cluster: Cluster,
  dataDir: string,
  onWait?: () => void,
): Promise<ServerProcess> {
  const portFile = path.join(dataDir, 'port');
  const logFile = path.join(dataDir, 'postgres.log');
  const former = Number(await readFile(portFile, 'utf8').catch(() => '0')) || undefined;
  for (let attempt = 0; ; attempt += 1) {
    const port = await findFreePort(attempt === 0 ? former : undefined);
    const started = await tryStart(cluster, port, logFile, onWait);
    if (started) {
      await writeFile(portFile, `${port}\n`);
      return started;
    }
    const output = await readFile(logFile, 'utf8');
    if (!PASSING_FAILURE.test(output) || attempt === MAX_RETRIES) {
      throw new Error(`PostgreSQL did not start: ${reasonIn(output)} (see ${logFile}).`);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * The server's parent is a shell that holds the other end of a pipe to this process. The pipe closes when this process
 * ends in whatever way, and the shell then ends the server. The shell has a session of its own: Ctrl-C does not reach
 * the server, so that the service can finish its work first. It also erases throw-away data.
 */
const SUPERVISOR = `
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

async function tryStart(
  { server, home, cluster, account, data }: Cluster,
  port: number,
  logFile: string,
  onWait?: () => void,
): Promise<ServerProcess | undefined> {
  const output = await open(logFile, 'w', 0o600);
  const command = [
    path.join(server, 'bin', 'postgres'),
    '-D',
    cluster,
    '-p',
    String(port),
    ...settings(data),
  ];
  const child = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...command], {
    ...account,
    cwd: home,
    env: data === 'throwaway' ? { ...SERVER_ENVIRONMENT, ERASE_AFTERWARDS: cluster } : SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'pipe', output.fd],
  });
  const spawned = once(child, 'spawn');
  // Before anything is waited for: what a process that has ended had said is dropped when nobody listens by then.
  const said = new Promise<number>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once('exit', () => resolve(0));
  });
  await output.close();
  await spawned;
  child.stdin?.on('error', () => undefined);
  onWait?.();
  const pid = await said;
  for (
    const end = Date.now() + START_TIMEOUT_MS;
    child.exitCode === null && Date.now() < end;
    await sleep(POLL_MS)
  ) {
    const state = await readPostmaster(cluster);
    if (state?.pid === pid && state.isReady) return { child, pid, port };
  }
  child.stdin?.end();
  return undefined;
}

function settings(data: ClusterData): string[] {
  const always = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    huge_pages: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    // The text of a failed statement could hold what must not be in a log.
    log_min_error_statement: 'panic',
  };
  const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const all = data === 'lasting' ? always : { ...always, ...careless };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function reasonIn(output: string): string {
  const fatal = /(?:FATAL|PANIC):\s*(.*)/.exec(output)?.[1];
  return fatal ?? output.trim().split('\n').at(-1) ?? 'it gave no reason';
}
