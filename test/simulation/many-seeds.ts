import { runSeeds } from './run.ts';
import type { SeedOutcome } from './run.ts';

/** Of one process: it keeps some memory of each world. */
const PART = 25;

/** Runs the worlds of the seeds from `first` to `last`. */
export async function runMany(first: number, last: number): Promise<SeedOutcome[]> {
  const outcomes: SeedOutcome[] = [];
  for (let seed = first; seed <= last; seed += PART) {
    const count = Math.min(PART, last - seed + 1);
    outcomes.push(...(await runSeeds('--seed', String(seed), '--seeds', String(count))));
  }
  const wanted = last - first + 1;
  if (outcomes.length !== wanted)
    throw new Error(`${outcomes.length} of ${wanted} seeds from ${first} on ended`);
  return outcomes;
}

/** The worlds in which a promise is broken. */
export const brokenOf = (outcomes: readonly SeedOutcome[]) =>
  outcomes
    .filter(({ violations }) => violations.length > 0)
    .map(({ seed, violations }) => ({ seed, violations }));
