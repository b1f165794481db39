import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** The service as a process of its own, so that it can be killed, stopped and continued. Disposal is SIGTERM. */
export interface ServiceProcess extends AsyncDisposable {
  child: ChildProcess;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Preloaded, it ends a process when the one that started it was killed. */
export const END_WITH_PARENT = path.join(import.meta.dirname, '../../scripts/bootstrap/end-with-parent.js');

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');

/** What these sources are run with by their own `npm start`. */
async function flagsOf(main: string): Promise<readonly string[]> {
  const file = path.join(path.dirname(main), '../scripts/bootstrap/service.js');
  if (!existsSync(file)) return [];
  const { serviceFlags } = (await import(file)) as { serviceFlags: readonly string[] };
  return serviceFlags;
}

/**
 * Starts src/main.ts, or that of other sources, and waits until it is ready, or has ended before that (a crash point of
 * the start).
 */
export async function spawnService(
  environment: Record<string, string>,
  args: string[] = [],
  main = MAIN,
): Promise<ServiceProcess> {
  const flags = await flagsOf(main);
  const child = spawn(process.execPath, [...flags, '--import', END_WITH_PARENT, main, ...args], {
    env: { ...process.env, LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (/is ready|engine runs/.test(chunk.toString())) resolve();
    });
  });
  await Promise.race([ready, ended]);
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await ended;
  };
  return { child, ended, kill, [Symbol.asyncDispose]: () => kill('SIGTERM') };
}
