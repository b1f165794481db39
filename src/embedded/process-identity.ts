import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Returns what tells this run of the machine from others; undefined where the system does not say. */
export async function bootOfMachine(): Promise<string | undefined> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined);
  return boot?.trim();
}

/**
 * Returns the start of a process as an opaque text; undefined when there is no such process, or a zombie. Process id
 * and start together identify a process: ids are reused.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ps('lstart', pid);
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return `${await bootOfMachine()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Returns the command line of a process; undefined when there is no such process. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return ps('command', pid);
  try {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return line.split('\0').join(' ').trim() || undefined;
  } catch {
    return undefined;
  }
}

async function ps(column: string, pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', `${column}=`, '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
