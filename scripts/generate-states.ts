import path from 'node:path';
import { writeBetweenMarks } from '../lab/between-marks.ts';
import { INTENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from '../src/engine/states.ts';
import type { Transition } from '../src/engine/states.ts';

/** Writes the tables of states into docs/engine.md. */
const source = path.join(import.meta.dirname, '../docs/engine.md');
const target = process.argv[2] === undefined ? source : path.join(process.argv[2], path.basename(source));

function tableOf(title: string, transitions: readonly Transition<string>[]): string {
  const rows = transitions.map(
    ({ from, to, on, needs, by }) =>
      `| ${from.map((each) => each ?? '(new)').join(', ')} | ${to} | ${on} | ${needs} | \`store/${by}.ts\` |`,
  );
  return [
    `${title}\n`,
    '| From | To | When | Needs | Statement |',
    '| - | - | - | - | - |',
    ...rows,
    '',
  ].join('\n');
}

const tables = [
  tableOf('An intent:', INTENT_TRANSITIONS),
  tableOf('A transaction:', TRANSACTION_TRANSITIONS),
].join('\n');
await writeBetweenMarks(source, 'the states, by npm run generate', () => tables, target);
