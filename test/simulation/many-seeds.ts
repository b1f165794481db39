import { runSeeds } from './run.ts';
import type { SeedOutcome } from './run.ts';

/** Of one process: it keeps some memory of each world. */
const PART = 25;

/** Runs seeds. Returns the worlds in which a promise is broken. */
export async function findBroken(
  first: number,
  last: number,
): Promise<Pick<SeedOutcome, 'seed' | 'violations'>[]> {
  const found: Pick<SeedOutcome, 'seed' | 'violations'>[] = [];
  for (let seed = first; seed <= last; seed += PART) {
    const count = Math.min(PART, last - seed + 1);
    const outcomes = await runSeeds('--seed', String(seed), '--seeds', String(count));
    if (outcomes.length !== count)
      throw new Error(`${outcomes.length} of ${count} seeds from ${seed} on ended`);
    for (const { seed: one, violations } of outcomes)
      if (violations.length > 0) found.push({ seed: one, violations });
  }
  return found;
}
