import { setTimeout as sleep } from 'node:timers/promises';
import { spawnService } from './service-process.ts';
import type { ServiceProcess } from './service-process.ts';

/** A service that is started again when it ends by itself, as systemd does. */
export interface SupervisedService {
  starts(): number;
  /** Sends SIGTERM, and SIGKILL when it has not ended after so many milliseconds; it is not started again. */
  term(killAfterMs: number): Promise<void>;
  /** Starts it after `term`. */
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** As `RestartSec` of the unit files. */
const RESTART_MS = 1_000;

export async function superviseService(environment: Record<string, string>): Promise<SupervisedService> {
  let life: ServiceProcess;
  let starts = 0;
  let isWanted = true;
  const begin = async (): Promise<void> => {
    isWanted = true;
    starts += 1;
    const own = await spawnService(environment);
    life = own;
    void own.ended.then(async () => {
      await sleep(RESTART_MS);
      if (isWanted && life === own) await begin();
    });
  };
  await begin();
  return {
    starts: () => starts,
    begin,
    term: async (killAfterMs) => {
      isWanted = false;
      const timer = setTimeout(() => life.child.kill('SIGKILL'), killAfterMs);
      await life.kill('SIGTERM');
      clearTimeout(timer);
    },
    end: async () => {
      isWanted = false;
      await life.kill('SIGKILL');
    },
  };
}
