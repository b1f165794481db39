import { renderTable } from '../bench/table.ts';
import type { NamedMutant } from './mutant.ts';
import type { Run } from './run.ts';

/**
 * `killed`: a test failed, or the suites did not come to their end in time; `survived`: all passed; `invalid`: it
 * says nothing of the tests, since the mutated code does not even load.
 */
export type Fate = 'killed' | 'survived' | 'invalid';

export interface Outcome {
  name: string;
  area: string;
  file: string;
  fate: Fate;
  /** The test that failed, `time-out`, or why it is invalid; null for a survivor. */
  by: string | null;
  seconds: number;
}

export function readOutcome(mutant: NamedMutant, run: Run, seconds: number): Outcome {
  const { name, area, file } = mutant;
  const [failed] = run.failures;
  const verdict = (fate: Fate, by: string | null): Outcome => ({ name, area, file, fate, by, seconds });
  if (failed) return verdict('killed', `${failed.suite}: ${failed.test}`);
  if (run.isLate) return verdict('killed', 'time-out');
  const [broken] = run.broken;
  if (broken) return verdict('invalid', `${broken.suite} does not run: ${firstLine(broken.reason)}`);
  if (run.exitCode !== 0)
    return verdict('invalid', `the run ended with ${run.exitCode}: ${lastLine(run.said)}`);
  return verdict('survived', null);
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

const countOf = (outcomes: readonly Outcome[], fate: Fate): number =>
  outcomes.filter((outcome) => outcome.fate === fate).length;

/** Killed mutants in percent of those that are valid; 0 when there are none. */
export function scoreOf(outcomes: readonly Outcome[]): number {
  const killed = countOf(outcomes, 'killed');
  const valid = killed + countOf(outcomes, 'survived');
  return valid === 0 ? 0 : (100 * killed) / valid;
}

export const percent = (score: number): string => `${score.toFixed(1)} %`;

/** A row for each area, then survivors and invalid mutants by name. */
export function reportOf(outcomes: readonly Outcome[]): string {
  const areas = [...new Set(outcomes.map(({ area }) => area))];
  const rows = [
    ...areas.map((area) => ({ area, own: outcomes.filter((outcome) => outcome.area === area) })),
    { area: 'all', own: outcomes },
  ];
  const table = renderTable(
    [
      ['Area', ({ area }) => area],
      ['Mutants', ({ own }) => own.length],
      ['Killed', ({ own }) => countOf(own, 'killed')],
      ['Survived', ({ own }) => countOf(own, 'survived')],
      ['Invalid', ({ own }) => countOf(own, 'invalid')],
      ['Score', ({ own }) => percent(scoreOf(own))],
    ],
    rows,
  );
  const named = outcomes
    .filter(({ fate }) => fate !== 'killed')
    .map(({ fate, area, name, by }) => `${fate}: ${area}: ${name}${by === null ? '' : ` (${by})`}`);
  return [table, ...(named.length > 0 ? ['', ...named] : [])].join('\n');
}
