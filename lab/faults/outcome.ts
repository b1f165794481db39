import { mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findUnexpected } from './judge.ts';
import type { Judgement } from './judge.ts';
import type { Allowance } from '../judge/history.ts';
import { writeBetweenMarks } from '../between-marks.ts';
import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';

/** The result of one kind of fault: a row of the table, which fits a screen. So its texts are short. */
export interface Outcome {
  /** The faults that were made, with their number. */
  made: string;
  /** What the chain says; null where no chain takes part. */
  judgement: Judgement | null;
  /** What else was measured, with its numbers. */
  note: string;
  /** What the promise does not allow, one sentence each. */
  flaws: string[];
}

/** What a fault is made with. */
export interface FaultRun {
  /** Turns a full number into that of this run. */
  scaled(full: number): number;
  /** The only source of chance; of this fault alone. */
  random: Random;
  /** Bounded in time, for `npm test`: faults that last minutes last seconds. */
  isShort: boolean;
  /** Milliseconds between two blocks. */
  blockMs: number;
}

export type Fault = (run: FaultRun) => Promise<Outcome>;

/** `scale` below a half makes a short run. */
export const runOf = (seed: number, name: string, scale: number): FaultRun => ({
  scaled: (full) => Math.max(1, Math.round(full * scale)),
  random: createRandom(String(seed)).fork(name),
  isShort: scale < 0.5,
  blockMs: 1_000,
});

/** Everything the command says while it runs. */
export const say = (text: unknown): void => void process.stderr.write(`${String(text)}\n`);

const COUNTS: [string, 'acknowledged' | 'unknown' | 'refused' | 'failed'][] = [
  ['Acknowledged', 'acknowledged'],
  ['Unknown', 'unknown'],
  ['Refused', 'refused'],
  ['Failed', 'failed'],
];
const NUMBERS = ['acknowledged', 'unknown', 'refused', 'confirmed', 'failed'] as const;

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const NAMES = ['Fault', 'Made', ...COUNTS.map(([name]) => name), 'Violations', 'Also measured', 'When'];
const HEADING = [line(NAMES), line(NAMES.map(() => '---'))];

const unexpectedIn = (judgement: Judgement | null, mayFail?: readonly Allowance[]): string[] =>
  judgement ? findUnexpected(judgement.failures, mayFail) : [];

/** One of each, with how many there were. */
function countEach(texts: readonly string[]): string[] {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts].map(([text, { length }]) => (length > 1 ? `${length} times: ${text}` : text));
}

/** Flaws that a run must not have. @param mayFail what its fault lets fail; nothing when left out */
export const flawsOf = (
  { judgement, flaws }: Pick<Outcome, 'judgement' | 'flaws'>,
  mayFail?: readonly Allowance[],
): string[] => [...(judgement?.violations ?? []), ...countEach(unexpectedIn(judgement, mayFail)), ...flaws];

/** The sums of several runs of one fault. At least one. */
export function addJudgements([first, ...others]: readonly Judgement[]): Judgement {
  const sum = { ...first! };
  for (const other of others) {
    for (const key of NUMBERS) sum[key] += other[key];
    sum.violations = [...sum.violations, ...other.violations];
    sum.failures = [...sum.failures, ...other.failures];
  }
  return sum;
}

const countViolations = ({ judgement, flaws }: Outcome, mayFail?: readonly Allowance[]): number =>
  (judgement?.violations.length ?? 0) + unexpectedIn(judgement, mayFail).length + flaws.length;

/**
 * The row of one kind of fault, in Markdown.
 * @param options.scale what the full numbers were multiplied with
 * @param options.seed of all random choices
 * @param options.mayFail what the fault lets fail
 */
export function rowOf(
  fault: string,
  outcome: Outcome,
  { scale, seed, mayFail }: { scale: number; seed: number; mayFail?: readonly Allowance[] | undefined },
): string {
  const flaws = flawsOf(outcome, mayFail);
  const notes = [...(flaws.length > 0 ? [`**${flaws.join('; ')}**`] : []), outcome.note].join('; ');
  const counts = COUNTS.map(([, key]) => outcome.judgement?.[key].toLocaleString('en') ?? '–');
  const when = [new Date().toISOString().slice(0, 10), `seed ${seed}`];
  if (scale !== 1) when.push(`scale ${scale}`);
  return line([
    fault,
    outcome.made,
    ...counts,
    countViolations(outcome, mayFail).toLocaleString('en'),
    // A flaw may quote anything.
    notes.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|'),
    when.join(', '),
  ]);
}

export const tableOf = (rows: readonly string[]): string => [...HEADING, ...rows].join('\n');

/** The rows of a table, by their first cell. */
const parseRows = (table: string): Map<string, string> =>
  new Map(
    table.split('\n').flatMap((row) => (row.startsWith('| ') ? [[row.split('|')[1]!.trim(), row]] : [])),
  );

/**
 * Puts rows into the table of a document in the place of earlier ones of the same fault, in the order of `faults`. Runs
 * of several processes wait for one another.
 */
export async function writeRows(
  document: string,
  rows: ReadonlyMap<string, string>,
  faults: readonly string[],
): Promise<void> {
  const lock = path.join(tmpdir(), 'mintmark-faults.lock');
  while (
    !(await mkdir(lock).then(
      () => true,
      () => false,
    ))
  ) {
    await sleep(100);
  }
  try {
    await writeBetweenMarks(document, 'the table', (table) => {
      const known = parseRows(table);
      for (const [fault, row] of rows) known.set(fault, row);
      return tableOf(faults.flatMap((fault) => known.get(fault) ?? []));
    });
  } finally {
    await rmdir(lock);
  }
}
