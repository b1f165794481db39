import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../service.ts';
import { startSupervised, stopProcess } from '../service.ts';
import type { World } from '../world.ts';
import { cutOf } from './fault.ts';
import type { Make } from './fault.ts';

const HOUR_MS = 3_600_000;
/** What is killed has its lease for so long. */
const LEASE_MS = 5_000;

const start = (world: World, processes: ServiceProcess[], index: number): Promise<void> =>
  startSupervised(world, processes, { index, settings: processes[index]!.settings });

export const PROCESS_FAULTS = {
  kill: async ({ world, processes, which, lastMs, window }) => {
    const index = which % processes.length;
    window.stops = processes[index]!.settings.name;
    world.kill(processes[index]!.machine);
    await sleep(lastMs / 4);
    await start(world, processes, index);
  },
  stop: async ({ world, processes, which, lastMs, window }) => {
    const index = which % processes.length;
    window.stops = processes[index]!.settings.name;
    await stopProcess(world, processes[index]!);
    await sleep(lastMs / 4);
    await start(world, processes, index);
  },
  'rolling restart': async ({ world, processes, lastMs, window }) => {
    window.cuts = cutOf(null, false);
    for (const index of processes.keys()) {
      await stopProcess(world, processes[index]!);
      await start(world, processes, index);
      await sleep(lastMs / 4);
    }
  },
  pause: async ({ world, processes, which, lastMs, window }) => {
    const { machine } = processes[which % processes.length]!;
    window.stops = machine.name;
    machine.pausedUntil = world.scheduler.now + lastMs;
    await sleep(lastMs);
  },
  clock: async ({ world, processes, which, lastMs, window }) => {
    // A retry that it plans by the clock of then comes an hour later.
    window.allows = [{ code: 'LATE_MESSAGE' }];
    const machines = [world.postgres.machine, ...processes.map(({ machine }) => machine)];
    const machine = machines[which % machines.length]!;
    const step = which % 2 === 0 ? HOUR_MS : -HOUR_MS;
    machine.clockStepMs += step;
    await sleep(lastMs);
    machine.clockStepMs -= step;
  },
  // Its lease then ends an hour later than the clock that is right.
  'clock step, kill': async ({ world, processes, which, lastMs, window, random }) => {
    window.allows = [{ code: 'LATE_MESSAGE' }];
    const index = which % processes.length;
    const { machine } = world.postgres;
    machine.clockStepMs += HOUR_MS;
    await sleep(lastMs);
    world.kill(processes[index]!.machine);
    await sleep(random.whole(0, LEASE_MS));
    machine.clockStepMs -= HOUR_MS;
    await start(world, processes, index);
  },
  // As of a virtual machine that is moved: it never goes back.
  'monotonic jump': async ({ processes, which }) => {
    processes[which % processes.length]!.machine.monotonicStepMs += 1_000 * (1 + (which % 120));
  },
} satisfies Record<string, Make>;
