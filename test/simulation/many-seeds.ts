import { KNOWN } from '../../lab/simulation/known.ts';
import { runSeeds } from './run.ts';

/** Of one process: it keeps some memory of each world. */
const PART = 25;

/** What a run of a seed shows that it should not: rules that are broken, and those that are known to be and are not. */
interface Finding {
  seed: number;
  broken: { rule: string; subject: string; detail: string }[];
  mended: string[];
}

/** Runs seeds, and compares them with what is known of them. Returns those that differ. */
export async function compareSeeds(first: number, last: number): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let seed = first; seed <= last; seed += PART) {
    const count = Math.min(PART, last - seed + 1);
    const outcomes = await runSeeds('--seed', String(seed), '--seeds', String(count));
    if (outcomes.length !== count)
      throw new Error(`${outcomes.length} of ${count} seeds from ${seed} on ended`);
    for (const { seed: which, violations: broken, known } of outcomes) {
      const rules = new Set(known.map(({ rule }) => rule));
      const mended = (KNOWN[which]?.rules ?? []).filter((rule) => !rules.has(rule));
      if (broken.length + mended.length > 0) found.push({ seed: which, broken, mended });
    }
  }
  return found;
}
