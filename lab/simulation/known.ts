import type { Violation } from '../judge/case.ts';

/** Rules that the world of a seed breaks today. */
interface Known {
  rules: readonly string[];
  /** The cause, and what puts an end to it. */
  why: string;
}

const FILLED_LATE: Known = {
  rules: ['settled'],
  why:
    'After commits are lost, and the base fee has risen, the pool refuses what fills the nonces of unknown bytes, and each of them is ' +
    'outbid after the one before it: until the epoch takes the place of filling (the third design of the engine, part 1).',
};

const UNKNOWN_IDS: Known = {
  rules: ['false failure'],
  why:
    'An older backup was restored, and a client asks for the metadata of an NFT that was minted in the time that is lost: the records ' +
    'of the service lack it until the effects of lost numbers are read from the chain (the third design of the engine, part 1).',
};

/** By seed. Each goes when it is mended: `test/simulation/many-seeds.test.ts` fails when such a world is sound. */
export const KNOWN: Readonly<Record<number, Known>> = {
  146: UNKNOWN_IDS,
  220: FILLED_LATE,
  761: FILLED_LATE,
};

/** Parts what the world of a seed shows into what is to be mended and what is known. */
export function sortViolations(
  seed: number,
  violations: readonly Violation[],
): { violations: Violation[]; known: Violation[] } {
  const rules = KNOWN[seed]?.rules ?? [];
  return {
    violations: violations.filter(({ rule }) => !rules.includes(rule)),
    known: violations.filter(({ rule }) => rules.includes(rule)),
  };
}
