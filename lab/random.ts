import { createHash } from 'node:crypto';

/** A source of draws that depends on its seed alone. */
export interface Random {
  /** From 0 to below 1. */
  fraction(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  /** Milliseconds, most of them near `min`, as latencies are. */
  latency(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  fill(bytes: Uint8Array): void;
  /** A source of its own, so that more draws in one part of a world change nothing in another. */
  fork(name: string): Random;
}

/** `sfc32` (PractRand), from the first 128 bits of a hash of the seed. */
export function createRandom(seed: string): Random {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((place) => digest.readUInt32LE(place)) as [
    number,
    number,
    number,
    number,
  ];
  const next = (): number => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next();
  const fraction = (): number => next() / 2 ** 32;
  const whole = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    whole,
    latency: (min, max) => min + (max - min) * fraction() ** 3,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[whole(0, items.length - 1)]!,
    fill: (bytes) => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = next() & 0xff;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

/** The highest that `--seed` of a command takes. */
export const MAX_SEED = 999_999_999;

/** For tests: seeded by `SEED`, and by 1 without it, so that a failure comes again. */
export const createTestRandom = (name: string): Random => createRandom(process.env['SEED'] ?? '1').fork(name);
