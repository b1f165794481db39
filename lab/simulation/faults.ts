import { setTimeout as sleep } from 'node:timers/promises';
import type { Cut, FaultWindow } from '../judge/history.ts';
import { NO_TROUBLE } from './node.ts';
import type { Trouble } from './node.ts';
import type { Random } from '../random.ts';
import type { ServiceProcess } from './service.ts';
import { restartProcess } from './service.ts';
import type { World } from './world.ts';

/** One fault, and when it happens, in milliseconds after the first request. */
export interface Fault {
  kind: keyof typeof KINDS;
  at: number;
  /** For those that last. */
  lastMs: number;
  /** Which process, which endpoint, how deep: each kind reads it in its own way. */
  which: number;
}

interface Parts {
  world: World;
  processes: ServiceProcess[];
  /** For the judge: what the fault says of itself. */
  window: FaultWindow;
}

/** Makes the fault, and resolves when it is over. */
type Make = (parts: Parts, fault: Fault) => Promise<void>;

const cutOf = (endpoint: string | null, isWhole: boolean): Cut => ({ engine: null, endpoint, isWhole });

const troubled =
  (trouble: Partial<Trouble>): Make =>
  async ({ world, window }, { which, lastMs }) => {
    const node = world.nodes[which % world.nodes.length]!;
    window.cuts = cutOf(node.url, false);
    node.trouble = { ...NO_TROUBLE, ...trouble };
    await sleep(lastMs);
    node.trouble = { ...NO_TROUBLE };
  };

const KINDS = {
  kill: async ({ world, processes, window }, { which, lastMs }) => {
    const index = which % processes.length;
    world.kill(processes[index]!.machine);
    window.stops = processes[index]!.settings.name;
    await sleep(lastMs / 4);
    processes[index] = restartProcess(world, processes[index]!);
    await processes[index].started.catch(() => null);
  },
  pause: async ({ world, processes, window }, { which, lastMs }) => {
    const { machine } = processes[which % processes.length]!;
    window.stops = machine.name;
    machine.pausedUntil = world.scheduler.now + lastMs;
    await sleep(lastMs);
  },
  errors: troubled({ refused: 0.5 }),
  'lost requests': troubled({ lost: 0.3 }),
  'lost answers': troubled({ unanswered: 0.3 }),
  'slow endpoint': troubled({ slow: 0.4 }),
  'endpoint down': async ({ world, window }, { which, lastMs }) => {
    const node = world.nodes[which % world.nodes.length]!;
    window.cuts = cutOf(node.url, true);
    node.isDown = true;
    await sleep(lastMs);
    node.isDown = false;
  },
  'out of reach': async ({ world, window }, { lastMs }) => {
    window.cuts = cutOf(null, true);
    for (const node of world.nodes) node.isDown = true;
    await sleep(lastMs);
    for (const node of world.nodes) node.isDown = false;
  },
  'frozen endpoint': async ({ world, window }, { which, lastMs }) => {
    const node = world.nodes[which % world.nodes.length]!;
    window.cuts = cutOf(node.url, false);
    node.frozenAt = world.chain.head;
    await sleep(lastMs);
    node.frozenAt = null;
  },
  reorg: async ({ world }, { which }) => {
    await world.atomically(() => world.chain.reorganize(1 + (which % 3)));
  },
  'base fee': async ({ world }, { which }) => {
    world.chain.jumpBaseFee(2 + (which % 20));
  },
  clock: async ({ world, processes }, { which, lastMs }) => {
    const machines = [world.postgres.machine, ...processes.map(({ machine }) => machine)];
    const machine = machines[which % machines.length]!;
    machine.clockStepMs = which % 2 === 0 ? 3_600_000 : -3_600_000;
    await sleep(lastMs);
    machine.clockStepMs = 0;
  },
  receivers: async ({ world }, { lastMs }) => {
    world.receiversFail = true;
    await sleep(lastMs);
    world.receiversFail = false;
  },
} satisfies Record<string, Make>;

export const FAULTS = Object.keys(KINDS) as Fault['kind'][];

/** Most tokens are deployed by then: without one, nothing is minted. */
const FIRST_MS = 6_000;

/** Draws two or three faults, which may be under way at the same time. */
export function planFaults(random: Random, spreadMs: number): Fault[] {
  return Array.from({ length: random.whole(2, 3) }, () => ({
    kind: random.pick(FAULTS),
    at: random.whole(FIRST_MS, spreadMs),
    lastMs: random.whole(2_000, 25_000),
    which: random.whole(0, 1_000),
  }));
}

export interface RunningFaults {
  done: Promise<unknown>;
  isOver: boolean;
  windows: readonly FaultWindow[];
}

export function startFaults(
  world: World,
  processes: ServiceProcess[],
  faults: readonly Fault[],
): RunningFaults {
  const windows: FaultWindow[] = [];
  const each = faults.map(async (fault) => {
    await sleep(fault.at);
    world.trace.note('fault', fault.kind, `begins: ${fault.lastMs} ms, ${fault.which}`);
    const from = world.scheduler.now;
    const window: FaultWindow = { kind: fault.kind, from, to: from, stops: null, cuts: null, allows: [] };
    windows.push(window);
    await KINDS[fault.kind]({ world, processes, window }, fault);
    window.to = world.scheduler.now;
    world.trace.note('fault', fault.kind, 'is over');
  });
  const running = { done: Promise.all(each), isOver: false, windows };
  void running.done.then(() => (running.isOver = true));
  return running;
}
