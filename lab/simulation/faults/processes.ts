import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../service.ts';
import { startSupervised, stopProcess } from '../service.ts';
import type { World } from '../world.ts';
import { POOR_SIGNER } from '../admin.ts';
import { shallowReorg } from './chain.ts';
import { cutOf } from './fault.ts';
import type { FaultParts, Make } from './fault.ts';

const HOUR_MS = 3_600_000;
/** What is killed has its lease for so long. */
const LEASE_MS = 5_000;
/** After so long without a higher bid there was nothing to bid for. */
const MAX_RAISE_MS = 30_000;
const LOOK_MS = 200;
/** Clients are told of a block by then. */
const TOLD_MS = 800;

const start = (world: World, processes: ServiceProcess[], index: number): Promise<void> =>
  startSupervised(world, processes, { index, settings: processes[index]!.settings });

const startAll = async ({ world, processes }: FaultParts): Promise<void> =>
  void (await Promise.all(processes.map((_, index) => start(world, processes, index))));

export const PROCESS_FAULTS = {
  kill: async ({ world, processes, which, lastMs, window }) => {
    const index = which % processes.length;
    window.stops = processes[index]!.settings.name;
    world.kill(processes[index]!.machine);
    await sleep(lastMs / 4);
    await start(world, processes, index);
  },
  // One of several, as long as another one can pay.
  'kill for good': async ({ world, processes, which, window }) => {
    const [gone, ...others] = [
      ...processes.slice(which % processes.length),
      ...processes.slice(0, which % processes.length),
    ];
    const isLeft = others.some(
      ({ settings: { name, signers } }) => !world.gone.has(name) && !signers.includes(POOR_SIGNER),
    );
    if (!isLeft) return;
    window.stops = gone!.settings.name;
    window.to = Infinity;
    world.gone.add(gone!.settings.name);
    world.kill(gone!.machine);
  },
  'kill all, and reorg': async (parts) => {
    const { world, processes, lastMs, window } = parts;
    window.cuts = [cutOf(null, false)];
    for (const { machine } of processes) world.kill(machine);
    await shallowReorg(parts);
    await sleep(lastMs / 4);
    await startAll(parts);
  },
  // Bids are raised, and mined; then nobody reads the chain, and other blocks have the bids of before.
  'kill all, and first bids': async (parts) => {
    const { world, processes, which, lastMs } = parts;
    const { chain, scheduler } = world;
    const latest = scheduler.now + MAX_RAISE_MS;
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo() && scheduler.now < latest) await sleep(LOOK_MS);
    };
    await until(() => chain.poolSize > 0);
    const before = chain.countOutbid;
    const end = chain.holdBaseFee(10 * (1 + (which % 10)));
    await until(() => chain.countOutbid > before);
    end();
    const { head } = chain;
    await until(() => chain.head > head);
    await sleep(TOLD_MS);
    for (const { machine } of processes) world.kill(machine);
    await world.atomically(() => chain.reorganize(chain.head - head, { isOfOthers: true }));
    await sleep(lastMs / 4);
    await startAll(parts);
  },
  stop: async ({ world, processes, which, lastMs, window }) => {
    const index = which % processes.length;
    window.stops = processes[index]!.settings.name;
    await stopProcess(world, processes[index]!);
    await sleep(lastMs / 4);
    await start(world, processes, index);
  },
  'rolling restart': async ({ world, processes, lastMs, window }) => {
    window.cuts = [cutOf(null, false)];
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
