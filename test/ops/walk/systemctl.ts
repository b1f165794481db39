import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv, promisify } from 'node:util';

/*
 * A stand-in for systemctl, where no systemd runs: it starts and stops what the units in /etc/systemd/system say, as
 * the user that they name, and waits as systemd does: for READY=1 with Type=notify, for nothing else without it; and at
 * a stop for the end of the process. Several units of one command are started and stopped side by side.
 */

const [folder = '', action = '', ...rest] = process.argv.slice(2);
const run = promisify(execFile);

/** Keeps a socket for one unit until somebody says READY=1 there. Node has no sockets of this kind. */
const RECEIVER = `use Socket; my ($path) = @ARGV; socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; bind($s, sockaddr_un($path)) or die "$!";
  chmod 0666, $path; $| = 1; print "bound\\n"; while (1) { recv($s, my $m, 4096, 0); last if $m =~ /^READY=1$/m; } print "ready\\n";`;

interface Unit {
  name: string;
  valuesOf(key: string): string[];
}

function readUnit(name: string): Unit {
  const [, template = '', instance = ''] = /^(.+?)@(.+?)(?:\.service)?$/.exec(name) ?? [];
  const text = readFileSync(`/etc/systemd/system/${template}@.service`, 'utf8').replaceAll('%i', instance);
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  return {
    name,
    valuesOf: (key) =>
      lines.flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : [])),
  };
}

const fileOf = (unit: Unit, what: string): string => path.join(folder, `${unit.name}.${what}`);

/** One that has ended and that nobody has asked about yet is still there. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** `15min`, `90` or `30s`, in milliseconds. */
function duration(text: string): number {
  const [, number, unitOfTime] = /^(\d+)(min|s)?$/.exec(text) ?? [];
  if (!number) throw new Error(`no duration: ${text}`);
  return Number(number) * (unitOfTime === 'min' ? 60_000 : 1_000);
}

async function start(unit: Unit): Promise<void> {
  const [user = 'root'] = unit.valuesOf('User');
  const files = unit.valuesOf('EnvironmentFile').map((file) => readFileSync(file, 'utf8'));
  const own = unit.valuesOf('Environment').flatMap((line) => line.split(' '));
  const environment = Object.assign({}, ...[...files, ...own].map((text) => parseEnv(text))) as object;
  const [command = '', ...args] = unit.valuesOf('ExecStart')[0]!.split(' ');
  const socket = fileOf(unit, 'notify');
  rmSync(socket, { force: true });
  const receiver = spawn('perl', ['-e', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  receiver.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  while (!said.includes('bound')) await sleep(5);

  const home = execFileSync('getent', ['passwd', user], { encoding: 'utf8' }).split(':')[5]!;
  for (const name of unit.valuesOf('CacheDirectory')) {
    mkdirSync(`/var/cache/${name}`, { recursive: true });
    execFileSync('chown', [`${user}:`, `/var/cache/${name}`]);
  }
  const log = openSync(fileOf(unit, 'log'), 'a');
  const identity = ['--reuid', user, '--regid', user, '--init-groups', '--no-new-privs'];
  // The programs that the walk brings, instead of those of the distribution.
  const child = spawn('setpriv', [...identity, path.basename(command), ...args], {
    cwd: unit.valuesOf('WorkingDirectory')[0]!,
    env: { PATH: process.env['PATH'], HOME: home, USER: user, NOTIFY_SOCKET: socket, ...environment },
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.unref();
  writeFileSync(fileOf(unit, 'pid'), String(child.pid));
  const waits = unit.valuesOf('Type')[0] === 'notify';
  const until = Date.now() + duration(unit.valuesOf('TimeoutStartSec')[0] ?? '90');
  while (waits && !said.includes('ready')) {
    if (!isAlive(child.pid!) || Date.now() > until) {
      receiver.kill();
      throw new Error(`${unit.name} failed: ${readFileSync(fileOf(unit, 'log'), 'utf8').slice(-2_000)}`);
    }
    await sleep(20);
  }
  receiver.kill();
}

async function stop(unit: Unit): Promise<void> {
  if (!existsSync(fileOf(unit, 'pid'))) return;
  const pid = Number(readFileSync(fileOf(unit, 'pid'), 'utf8'));
  const kill = (target: number, signal: NodeJS.Signals): void => {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended.
    }
  };
  kill(pid, 'SIGTERM');
  const until = Date.now() + duration(unit.valuesOf('TimeoutStopSec')[0] ?? '90');
  while (isAlive(pid) && Date.now() < until) await sleep(20);
  // With KillMode=mixed, what is left of the unit.
  kill(-pid, 'SIGKILL');
  rmSync(fileOf(unit, 'pid'));
}

const units = (): Unit[] => rest.filter((word) => !word.startsWith('-')).map(readUnit);
chmodSync(folder, 0o755);
switch (action) {
  case 'daemon-reload':
    break;
  case 'enable':
  case 'start':
    await Promise.all(units().map(start));
    break;
  case 'stop':
    await Promise.all(units().map(stop));
    break;
  case 'restart':
    await Promise.all(units().map(async (unit) => (await stop(unit), start(unit))));
    break;
  case 'reload':
    await run(rest[0]!, ['-s', 'reload']);
    break;
  default:
    throw new Error(`systemctl ${action} is not known here`);
}
process.exit(0);
