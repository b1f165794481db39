import type { Violation } from '../judge/case.ts';

/** Rules that the world of a seed breaks today. */
interface Known {
  rules: readonly string[];
  /** The cause, and what puts an end to it. */
  why: string;
}

/** By seed. Each goes when it is mended: `test/simulation/many-seeds.test.ts` fails when such a world is sound. */
export const KNOWN: Readonly<Record<number, Known>> = {};

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
