import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in ticks of 10 ms (sysconf(_SC_CLK_TCK) is 100 on every architecture that Node runs on). */
const TICKS_PER_SECOND = 100;

/** CPU seconds, user and system, of a process and of its children that ended. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Largest resident size so far, MiB. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Resident size now, MiB. */
export async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** CPU seconds of a PostgreSQL server with all its backends, those that ended included. */
export async function clusterCpuSeconds(postmaster: number): Promise<number> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const pids = children.trim().split(/\s+/).filter(Boolean).map(Number);
  const stat = await readFile(`/proc/${postmaster}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  const running = await Promise.all(pids.map((pid) => cpuSeconds(pid).catch(() => 0)));
  return running.reduce((sum, seconds) => sum + seconds, ended + (await cpuSeconds(postmaster)));
}
