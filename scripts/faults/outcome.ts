import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { format, resolveConfig } from 'prettier';
import type { Judgement } from '../../test/faults/judge.ts';
import { createRandom } from '../../test/faults/random.ts';
import type { Random } from '../../test/faults/random.ts';

/** The result of one kind of fault: a row of the table, and an entry of the list below it. */
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
  random: createRandom(seed).fork(name),
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
const MUST_BE_ZERO = [
  'lost',
  'doubled',
  'unasked',
  'falseFailures',
  'falseAnswers',
  'nonceGaps',
  'ledgerErrors',
] as const;

const NUMBERS = ['acknowledged', 'unknown', 'refused', 'confirmed', 'failed', ...MUST_BE_ZERO] as const;

/** What the document shows of one kind of fault, in Markdown. */
export interface Entry {
  /** Row of the table. */
  row: string;
  /** Item of the list: what was made, and what else was measured. */
  item: string;
}

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const HEADING = [
  line(['Fault', ...COUNTS.map(([name]) => name), 'Violations', 'Measured']),
  line(Array.from({ length: COUNTS.length + 3 }, () => '---')),
];

/** Flaws that a run must not have. */
export const flawsOf = ({ judgement, flaws }: Pick<Outcome, 'judgement' | 'flaws'>): string[] => [
  ...MUST_BE_ZERO.flatMap((key) => (judgement && judgement[key] > 0 ? [`${key}: ${judgement[key]}`] : [])),
  ...(judgement?.details ?? []),
  ...flaws,
];

/** The sums of several runs of one fault. At least one. */
export function addJudgements([first, ...others]: readonly Judgement[]): Judgement {
  const sum = { ...first! };
  for (const other of others) {
    for (const key of NUMBERS) sum[key] += other[key];
    sum.details = [...sum.details, ...other.details];
  }
  return sum;
}

const countViolations = ({ judgement, flaws }: Outcome): number =>
  MUST_BE_ZERO.reduce((sum, key) => sum + (judgement?.[key] ?? 0), flaws.length);

/** `scale` is what the full numbers were multiplied with, `seed` that of all random choices. */
export function entryOf(
  fault: string,
  outcome: Outcome,
  { scale, seed }: { scale: number; seed: number },
): Entry {
  const flaws = flawsOf(outcome);
  const notes = [...(flaws.length > 0 ? [`**${flaws.join('; ')}**`] : []), outcome.note];
  const measured = `${new Date().toISOString().slice(0, 10)}${scale === 1 ? '' : `, scale ${scale}`}`;
  const counts = COUNTS.map(([, key]) => outcome.judgement?.[key].toLocaleString('en') ?? '–');
  return {
    row: line([fault, ...counts, countViolations(outcome).toLocaleString('en'), measured]),
    item: `- **${fault}**: ${outcome.made} → ${notes.join('; ')}; seed ${seed}.`,
  };
}

export const tableOf = (entries: readonly Entry[]): string =>
  [...HEADING, ...entries.map(({ row }) => row), '', ...entries.map(({ item }) => item)].join('\n');

const BEGIN = '<!-- begin of the table -->';
const END = '<!-- end of the table -->';

/** The entries of a table with its list, by fault. */
function parseEntries(text: string): Map<string, Entry> {
  const lines = text.split('\n');
  const items = new Map(
    lines.flatMap((item) => {
      const [, fault] = /^- \*\*(.+?)\*\*: /.exec(item) ?? [];
      return fault === undefined ? [] : [[fault, item] as const];
    }),
  );
  const rows = lines.filter((candidate) => candidate.startsWith('| '));
  return new Map(
    rows.flatMap((row) => {
      const fault = row.split('|')[1]!.trim();
      const item = items.get(fault);
      return item === undefined ? [] : [[fault, { row, item }] as const];
    }),
  );
}

/**
 * Puts entries into the table and the list of a document in the place of earlier ones of the same fault, in the order of
 * `faults`. Runs of several processes wait for one another.
 */
export async function writeEntries(
  document: string,
  entries: ReadonlyMap<string, Entry>,
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
    const text = await readFile(document, 'utf8');
    const [head, rest] = text.split(BEGIN);
    const [table, tail] = rest!.split(END);
    const known = parseEntries(table!);
    for (const [fault, entry] of entries) known.set(fault, entry);
    const all = faults.flatMap((fault) => known.get(fault) ?? []);
    const written = `${head}${BEGIN}\n\n${tableOf(all)}\n\n${END}${tail}`;
    const style = await resolveConfig(document);
    await writeFile(document, await format(written, { ...style, filepath: document }));
  } finally {
    await rmdir(lock);
  }
}
