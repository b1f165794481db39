import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { format, resolveConfig } from 'prettier';
import type { Judgement } from '../../test/faults/judge.ts';

/** The result of one kind of fault: a row of the table. */
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

/** Makes a fault; `scaled` turns a full number into that of this run. */
export type Fault = (scaled: (full: number) => number) => Promise<Outcome>;

/** Everything the command says while it runs. */
export const say = (text: unknown): void => void process.stderr.write(`${String(text)}\n`);

const COUNTS: [string, keyof Judgement][] = [
  ['Acknowledged', 'acknowledged'],
  ['Unknown', 'unknown'],
  ['Refused', 'refused'],
  ['Failed', 'failed'],
  ['Lost', 'lost'],
  ['Doubled', 'doubled'],
  ['Unasked', 'unasked'],
  ['False failures', 'falseFailures'],
  ['Nonce gaps', 'nonceGaps'],
  ['Ledger errors', 'ledgerErrors'],
];
const MUST_BE_ZERO = ['lost', 'doubled', 'unasked', 'falseFailures', 'nonceGaps', 'ledgerErrors'] as const;

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const HEADING = [
  line(['Fault', 'Made', ...COUNTS.map(([name]) => name), 'Note', 'Measured']),
  line(Array.from({ length: COUNTS.length + 4 }, () => '---')),
];

/** Flaws that a run must not have. */
export const flawsOf = ({ judgement, flaws }: Outcome): string[] => [
  ...MUST_BE_ZERO.flatMap((key) => (judgement && judgement[key] > 0 ? [`${key}: ${judgement[key]}`] : [])),
  ...flaws,
];

/** A row of the table. `scale` is what the full numbers were multiplied with. */
export function rowOf(fault: string, outcome: Outcome, scale: number): string {
  const flaws = flawsOf(outcome);
  const note = [...(flaws.length > 0 ? [`**${flaws.join('; ')}**`] : []), outcome.note].join('; ');
  const measured = `${new Date().toISOString().slice(0, 10)}${scale === 1 ? '' : `, scale ${scale}`}`;
  const counts = COUNTS.map(([, key]) => outcome.judgement?.[key].toLocaleString('en') ?? '–');
  return line([fault, outcome.made, ...counts, note, measured]);
}

export const tableOf = (rows: readonly string[]): string => [...HEADING, ...rows].join('\n');

const BEGIN = '<!-- begin of the table -->';
const END = '<!-- end of the table -->';

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
    const text = await readFile(document, 'utf8');
    const [head, rest] = text.split(BEGIN);
    const [table, tail] = rest!.split(END);
    const known = new Map(
      table!
        .split('\n')
        .filter((candidate) => candidate.startsWith('| '))
        .map((row) => [row.split('|')[1]!.trim(), row]),
    );
    for (const [fault, row] of rows) known.set(fault, row);
    const all = faults.flatMap((fault) => known.get(fault) ?? []);
    const written = `${head}${BEGIN}\n\n${tableOf(all)}\n\n${END}${tail}`;
    const style = await resolveConfig(document);
    await writeFile(document, await format(written, { ...style, filepath: document }));
  } finally {
    await rmdir(lock);
  }
}
