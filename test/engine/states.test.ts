import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { INTENT_TRANSITIONS, TRANSACTION_TRANSITIONS } from '../../src/engine/states.ts';
import { OPEN_AGAIN } from '../../src/engine/store/transactions.ts';

const STORE = path.resolve(import.meta.dirname, '../../src/engine/store');

/** The statements of a file that change a status: table, name of the file, new status. */
function changesIn(name: string): string[] {
  const source = readFileSync(path.join(STORE, name), 'utf8').replaceAll('${OPEN_AGAIN}', OPEN_AGAIN);
  const updates = source.matchAll(
    /\b(?:update\s+(intents|transactions)(?:\s+\w+)??|on conflict \(signer, nonce\) do update)\s+set\s+(.*?)\b(?:where|from)\b/gs,
  );
  return [...updates].flatMap(([, table = 'transactions', set = '']) => {
    const [, value = ''] = /(?<![\w.])status = (.*)/s.exec(set) ?? [];
    // The values of a `case` are behind `then` and `else`; a lone one comes first.
    const statuses = value.startsWith('case')
      ? [...value.slice(0, value.indexOf(' end')).matchAll(/(?:then|else) '(\w+)'/g)].map(([, to]) => to!)
      : [...value.matchAll(/^'(\w+)'/g)].map(([, to]) => to!);
    return statuses.map((to) => `${table} ${path.basename(name, '.ts')} ${to}`);
  });
}

test('each statement that changes a status is a row of states.ts, and each row is one', () => {
  const inSource = readdirSync(STORE)
    .filter((name) => name.endsWith('.ts'))
    .flatMap(changesIn);
  const inStates = [
    ...INTENT_TRANSITIONS.map(({ from, to, by }) => ({ table: 'intents', from, to, by })),
    ...TRANSACTION_TRANSITIONS.map(({ from, to, by }) => ({ table: 'transactions', from, to, by })),
  ]
    .filter(({ from }) => !from.includes(null))
    .map(({ table, to, by }) => `${table} ${by} ${to}`);
  expect([...new Set(inSource)].toSorted()).toEqual([...new Set(inStates)].toSorted());
});
