import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCommand, processStart } from './process-identity.ts';

/** For a fast shutdown: its last checkpoint writes everything to disk. */
const FAST_SHUTDOWN_TIMEOUT_MS = 60_000;
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Reads `postmaster.pid` of a cluster. */
export async function readPostmaster(
  cluster: string,
): Promise<{ pid: number; isReady: boolean } | undefined> {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, isReady: lines[7]?.trim() === 'ready' } : undefined;
}

/**
 * Ends a server that a killed service left running on this cluster. Only the holder of the data folder's lock may call
 * it. Another process that got the process id of a former server is left alone.
 */
export async function stopOrphan(cluster: string, log: (message: string) => void): Promise<void> {
  const found = await readPostmaster(cluster);
  if (!found) return;
  const start = await processStart(found.pid);
  if (start === undefined) return;
  if (!(await serves(found.pid, cluster))) {
    await rm(path.join(cluster, 'postmaster.pid'), { force: true });
    return;
  }
  log(`Stopping the PostgreSQL that an earlier run left running (process ${found.pid}).`);
  await endPostmaster(found.pid, start);
}

/**
 * Ends a server by a fast shutdown (open transactions are rolled back), or an immediate one when that takes too long.
 */
export async function endPostmaster(pid: number, start: string): Promise<void> {
  signal(pid, 'SIGINT');
  if (await hasEnded(pid, start, FAST_SHUTDOWN_TIMEOUT_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await hasEnded(pid, start, IMMEDIATE_SHUTDOWN_TIMEOUT_MS)) return;
  throw new Error(`PostgreSQL (process ${pid}) does not end; end it by hand, then start again.`);
}

async function serves(pid: number, cluster: string): Promise<boolean> {
  const command = await processCommand(pid);
  return command !== undefined && /\bpostgres\b/.test(command) && command.includes(` -D ${cluster} `);
}

async function hasEnded(pid: number, start: string, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(POLL_MS)) {
    if ((await processStart(pid)) !== start) return true;
  }
  return false;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
