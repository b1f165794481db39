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
  for (let seed = first; seed <= last; seed += PART)
    found.push(...(await compare(seed, Math.min(PART, last - seed + 1))));
  return found;
}

async function compare(first: number, count: number): Promise<Finding[]> {
  const outcomes = await runSeeds('--seed', String(first), '--seeds', String(count));
  if (outcomes.length !== count)
    throw new Error(`${outcomes.length} of ${count} seeds from ${first} on ended`);
  return outcomes.flatMap(({ seed, violations: broken, known }) => {
    const rules = new Set(known.map(({ rule }) => rule));
    const mended = (KNOWN[seed]?.rules ?? []).filter((rule) => !rules.has(rule));
    return broken.length + mended.length > 0 ? [{ seed, broken, mended }] : [];
  });
}
