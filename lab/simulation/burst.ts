import type { Random } from '../random.ts';
import type { Fault } from './faults/plan.ts';

/** Many mints at once, so that several transactions are in flight. Milliseconds after the first request. */
export interface Burst {
  at: number;
  withinMs: number;
  mints: number;
  /** The price jumps before a block has any of them; null when nothing happens. */
  fault: Fault | null;
}

/** Blocks are so far apart then that one does not take what the next one was to take. */
export const BURST_BLOCK_MS = 4_000;
/** How likely a world has one. */
const BURST = 0.2;
const WITH_FAULT = 0.6;
/** The token that it is of is there by then. */
const FIRST_MS = 26_000;
const LAST_MS = 32_000;

/** Null in most worlds. */
export function planBurst(random: Random): Burst | null {
  if (!random.chance(BURST)) return null;
  const burst = {
    at: random.whole(FIRST_MS, LAST_MS),
    withinMs: random.whole(1_000, 2_000),
    mints: random.whole(16, 20),
  };
  // It lasts longer than the time in which everything is settled.
  const fault: Fault = {
    kind: 'base fee held',
    at: burst.at - random.whole(0, 1_000),
    lastMs: random.whole(140_000, 160_000),
    which: random.whole(0, 1_000),
  };
  return { ...burst, fault: random.chance(WITH_FAULT) ? fault : null };
}
