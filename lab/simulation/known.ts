import type { Violation } from '../judge/case.ts';
import type { Fault } from './faults/plan.ts';

/** Violations that the engine of today cannot avoid under some fault. */
interface Expected {
  fault: Fault['kind'];
  rules: readonly string[];
  /** Why, and what puts an end to it. */
  why: string;
}

const EXPECTED: readonly Expected[] = [
  {
    fault: 'no logs',
    rules: ['a sound message'],
    why:
      'A verdict is told as retracted when a node answers no logs of a block that is read again, as in seed 109. Until an absence is no ' +
      'fact (the third design of the engine, part 6).',
  },
];

/** Parts what is found into what is to be mended and what is known. */
export function sortViolations(
  violations: readonly Violation[],
  faults: readonly Fault[],
): { violations: Violation[]; expected: Violation[] } {
  const known = EXPECTED.filter(({ fault }) => faults.some(({ kind }) => kind === fault));
  const isKnown = ({ rule }: Violation): boolean => known.some(({ rules }) => rules.includes(rule));
  return {
    violations: violations.filter((each) => !isKnown(each)),
    expected: violations.filter(isKnown),
  };
}
