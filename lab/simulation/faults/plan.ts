import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultWindow } from '../../judge/history.ts';
import type { Random } from '../../random.ts';
import type { ServiceProcess } from '../service.ts';
import type { World } from '../world.ts';
import type { Draw } from './fault.ts';
import { FAULTS, KINDS, RARE_FAULTS } from './kinds.ts';
import type { FaultKind } from './kinds.ts';

/** One fault, and when it happens, in milliseconds after the first request. */
export interface Fault extends Draw {
  kind: FaultKind;
  at: number;
}

/** Most tokens are deployed by then: without one, nothing is minted. */
const FIRST_MS = 6_000;
/** How likely a fault begins with the one before it. */
const TOGETHER = 0.3;

const SHORT_MS = { least: 2_000, most: 25_000 };
/** Longer than any verdict may take. */
const LONG_MS = { least: 150_000, most: 200_000 };
/** How likely a fault is a long one. */
const LONG = 0.1;
/** Likewise of those that leave a way, so that a long one is no reason to wait for its end. */
const LONG_BESIDE_A_WAY = 0.5;
const WITH_A_WAY: readonly FaultKind[] = [
  'endpoint down',
  'engine cut off',
  'frozen endpoint',
  'lagging backend',
  'other chain',
  'unsimulated contract',
];

const ABOUT_TWO: readonly FaultKind[] = ['engine cut off', 'engine cut off, others late', 'kill for good'];

/** Whether it says nothing of an engine that is alone. */
export const needsTwo = ({ kind }: Fault): boolean => ABOUT_TWO.includes(kind);

function drawLength(random: Random, kind: FaultKind): number {
  const isLong = random.chance(WITH_A_WAY.includes(kind) ? LONG_BESIDE_A_WAY : LONG);
  const { least, most } = isLong ? LONG_MS : SHORT_MS;
  return random.whole(least, most);
}

/** How likely a world has a rare fault besides. */
const RARE = 0.1;

/** Draws two or three faults, which may be under way at the same time, and now and then a rare one. */
export function planFaults(random: Random, spreadMs: number): Fault[] {
  const faults: Fault[] = [];
  for (let left = random.whole(2, 3); left > 0; left -= 1) {
    const at = random.whole(FIRST_MS, spreadMs);
    const before = random.chance(TOGETHER) ? faults.at(-1) : undefined;
    const kind = random.pick(FAULTS);
    faults.push({
      kind,
      at: before?.at ?? at,
      lastMs: drawLength(random, kind),
      which: random.whole(0, 1_000),
    });
  }
  const rare = random.fork('rare');
  if (!rare.chance(RARE)) return faults;
  const { least, most } = SHORT_MS;
  const [kind, at] = [rare.pick(RARE_FAULTS), rare.whole(FIRST_MS, spreadMs)];
  return [...faults, { kind, at, lastMs: rare.whole(least, most), which: rare.whole(0, 1_000) }];
}

/** How likely a world is taken back to an older backup besides. */
const OLDER_BACKUP = 0.06;

/**
 * @param others in whose world it may be; the judge knows of one loss of commits, and a person does one thing at a time
 */
export function planBackup(random: Random, spreadMs: number, others: readonly Fault[]): Fault[] {
  const excluded: readonly FaultKind[] = ['lost commits', ...RARE_FAULTS];
  if (!random.chance(OLDER_BACKUP) || others.some(({ kind }) => excluded.includes(kind))) return [];
  const at = random.whole(FIRST_MS, spreadMs / 2);
  return [{ kind: 'older backup', at, lastMs: random.whole(SHORT_MS.least, SHORT_MS.most), which: 0 }];
}

interface RunningFaults {
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
  const each = faults.map(async ({ kind, at, lastMs, which }, place) => {
    await sleep(at);
    world.trace.note('fault', kind, `begins: ${lastMs} ms, ${which}`);
    const from = world.scheduler.now;
    const window: FaultWindow = { kind, from, to: from, stops: null, cuts: [], allows: [] };
    windows.push(window);
    const random = world.random.fork(`fault ${place}`);
    await KINDS[kind]({ world, processes, window, random, lastMs, which });
    window.to = Math.max(window.to, world.scheduler.now);
    world.trace.note('fault', kind, 'is over');
  });
  const running = { done: Promise.all(each), isOver: false, windows };
  void running.done.then(() => (running.isOver = true));
  return running;
}
