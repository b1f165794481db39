/** The one source of chance of a run of faults: the same seed gives the same sequence. */
export interface Random {
  /** From 0 up to but not 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True for this part of all asks, from 0 to 1. */
  chance(part: number): boolean;
  /**
   * A sequence of its own for each name, which depends on the seed and the name alone: what one part of a run draws does
   * not move what another one gets.
   */
  fork(name: string): Random;
}

export const MAX_SEED = 999_999_999;

/** Mulberry32: 32 bits of state, enough for tests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    chance: (part) => next() < part,
    fork: (name) => createRandom(hash(`${seed} ${name}`)),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text)) sum = Math.imul(sum ^ byte, 0x01000193);
  return sum >>> 0;
}

/** For tests: seeded by `SEED`, and by 1 without it, so that a failure comes again. */
export const createTestRandom = (name: string): Random =>
  createRandom(Number(process.env['SEED'] ?? 1)).fork(name);
