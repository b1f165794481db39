import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { rowOf, tableOf, writeRows } from '../../lab/faults/outcome.ts';
import { FAULTS } from '../../lab/faults/rows.ts';

const PAGE = path.join(import.meta.dirname, '../../docs/reliability.md');
/** A screen. */
const MAX_ROWS = 45;
const MAX_COLUMNS = 205;

const rowsOf = (text: string): string[] =>
  /<!-- begin of the table -->\n([^]*)<!-- end of the table -->/.exec(text)![1]!.trim().split('\n').slice(2);
const firstCell = (row: string): string => row.split('|')[1]!.trim();

test('the table of docs/reliability.md fits a screen, with its faults in the order of the command', async () => {
  const rows = rowsOf(await readFile(PAGE, 'utf8'));
  const names = Object.keys(FAULTS);
  expect(rows.map(firstCell)).toEqual(names.filter((name) => rows.map(firstCell).includes(name)));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.length).toBeLessThanOrEqual(MAX_ROWS);
  expect(rows.filter((row) => row.length > MAX_COLUMNS)).toEqual([]);
});

test('a row that is written takes the place of the one before, and nothing else changes', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-table-'));
  const document = path.join(folder, 'page.md');
  const outcome = { made: '3 times', judgement: null, note: 'none', flaws: [] };
  const run = { scale: 1, seed: 7 };
  const before = ['one', 'three'].map((fault) => rowOf(fault, outcome, run));
  await writeFile(
    document,
    `Before\n\n<!-- begin of the table -->\n\n${tableOf(before)}\n\n<!-- end of the table -->\n\nAfter\n`,
  );
  const written = new Map([
    ['two', rowOf('two', { ...outcome, made: '4 times' }, { ...run, scale: 0.5 })],
    ['three', rowOf('three', { ...outcome, flaws: ['a | b\nc'] }, run)],
  ]);
  await writeRows(document, written, ['one', 'two', 'three']);
  const text = await readFile(document, 'utf8');
  await rm(folder, { recursive: true });

  const today = new Date().toISOString().slice(0, 10);
  expect(text).toMatch(/^Before\n\n<!--[^]*-->\n\nAfter\n$/);
  expect(rowsOf(text).map((row) => row.replaceAll(/ +/g, ' '))).toEqual([
    `| one | 3 times | – | – | – | – | 0 | none | ${today}, seed 7 |`,
    `| two | 4 times | – | – | – | – | 0 | none | ${today}, seed 7, scale 0.5 |`,
    `| three | 3 times | – | – | – | – | 1 | **a \\| b c**; none | ${today}, seed 7 |`,
  ]);
});
