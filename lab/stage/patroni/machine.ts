import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { giveTo } from '../../../src/embedded/server-files.ts';
import type { Site } from './site.ts';

/** A database machine: etcd, Patroni and PostgreSQL, which Patroni starts. */
export interface Machine {
  name: string;
  /** Turns it on, with the data that it has. */
  start(): Promise<void>;
  /** Ends all of its processes by SIGKILL, as a loss of power does. */
  kill(): Promise<void>;
}

/** Ends the program when the pipe to this process closes, also when the test is killed. */
const SUPERVISOR = `exec 3<&0; "$@" 3<&- >&2 </dev/null & echo $!; exec >&2; read -r line <&3; kill -TERM $!; wait $!`;

/** As ops/patroni/patroni.yml says, below the folder of the machine. */
const DATA = 'postgresql/15/mintmark';

interface Daemon {
  shell: ChildProcess;
  pid: number;
}

export function createMachine(site: Site, name: string): Machine {
  const home = path.join(site.folder, name);
  let daemons: Daemon[] = [];
  const start = async (): Promise<void> => {
    await prepare(site, home, name);
    const variables = parseEnv(site.configure('etcd.env', name)) as Record<string, string>;
    const { etcd, patroni } = site.programs;
    daemons = [
      await startDaemon(site, home, 'etcd', [etcd], variables),
      await startDaemon(site, home, 'patroni', [patroni, path.join(home, 'config.yml')], {}),
    ];
  };
  const kill = async (): Promise<void> => {
    for (const { pid } of daemons) signal(pid, 'SIGKILL');
    await killPostgres(path.join(home, DATA, 'postmaster.pid'));
    for (const { shell } of daemons) {
      const ended = once(shell, 'exit');
      shell.stdin!.end();
      if (shell.exitCode === null) await ended;
    }
    daemons = [];
  };
  return { name, start, kill };
}

async function prepare({ account, configure }: Site, home: string, name: string): Promise<void> {
  const sockets = path.join(home, 'postgresql');
  await mkdir(sockets, { recursive: true });
  for (const folder of [home, sockets]) await giveTo(account, folder);
  const file = path.join(home, 'config.yml');
  await writeFile(file, configure('patroni.yml', name), { mode: 0o600 });
  await giveTo(account, file);
}

/** Starts a program that runs as the account of the server, and writes into a file of its own name. */
export async function startDaemon(
  { account, programs }: Site,
  home: string,
  name: string,
  command: readonly string[],
  variables: Record<string, string>,
): Promise<Daemon> {
  const log = await open(path.join(home, `${name}.log`), 'a', 0o600);
  const shell = spawn('/bin/sh', ['-c', SUPERVISOR, 'sh', ...command], {
    ...account,
    cwd: home,
    env: { PATH: `${programs.bin}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8', ...variables },
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
  });
  shell.stdin!.on('error', () => undefined);
  const [line] = (await once(shell.stdout!, 'data')) as [Buffer];
  await log.close();
  return { shell, pid: Number(line.toString()) };
}

/** The server is no child of Patroni: it outlives it. Its own processes would end by themselves, but later. */
async function killPostgres(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const postmaster = Number(text.split('\n')[0]);
  if (!postmaster || !(await isPostgres(postmaster))) return;
  signal(postmaster, 'SIGSTOP');
  for (const child of await childrenOf(postmaster)) signal(child, 'SIGKILL');
  signal(postmaster, 'SIGKILL');
}

/** The file of a server that was killed names a process that may be another one by now. */
const isPostgres = async (pid: number): Promise<boolean> =>
  (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'postgres';

async function childrenOf(parent: number): Promise<number[]> {
  const entries = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const states = await Promise.all(
    entries.map((entry) => readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')),
  );
  // "pid (name) state parent ...": the name may hold anything.
  return entries.flatMap((entry, index) =>
    Number(states[index]!.slice(states[index]!.lastIndexOf(')')).split(' ')[2]) === parent
      ? Number(entry)
      : [],
  );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
