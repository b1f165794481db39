import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { serviceFlags } from '../../scripts/bootstrap/service.js';

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

/** Starts src/main.ts, or that of other sources, and waits until it is ready, or has ended before that (a crash point of the start). */
export async function spawnService(
  environment: Record<string, string>,
  args: string[] = [],
  main = MAIN,
): Promise<ServiceProcess> {
  // Other sources may be of a version with flags of its own.
  const flags = main === MAIN ? serviceFlags : [];
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
