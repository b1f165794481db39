import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'prettier';
import { INTENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from '../src/engine/states.ts';
import type { Transition } from '../src/engine/states.ts';

/** Writes the tables of states into docs/engine.md, between two comments. */
const BEGIN = '<!-- states: written by npm run generate -->\n';
const END = '<!-- end of states -->';

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

const text = await readFile(source, 'utf8');
const [head, rest] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
if (head < BEGIN.length || rest < head) throw new Error(`${source} has no place for the states`);
const tables = [
  tableOf('An intent:', INTENT_TRANSITIONS),
  tableOf('A transaction:', TRANSACTION_TRANSITIONS),
].join('\n');
await writeFile(
  target,
  await format(`${text.slice(0, head)}\n${tables}\n${text.slice(rest)}`, {
    parser: 'markdown',
    printWidth: 110,
  }),
);
