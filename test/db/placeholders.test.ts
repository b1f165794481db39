import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(1);

/** What the driver gets of a query. */
async function statementOf(sql: string, bindings: Record<string, unknown>) {
  let sent: { sql: string; options: { values: unknown[] } } | undefined;
  const listen = (event: { sql: string; options: { values: unknown[] } }): void => void (sent = event);
  db.on('query', listen);
  const rows = await query(db, sql, bindings).finally(() => db.removeListener('query', listen));
  return { sql: sent!.sql, values: sent!.options.values, rows };
}

test('a name that comes again with its cast is one parameter, of which the value is sent once', async () => {
  expect(
    await statementOf('select :n::int + :n::int as sum, :n::text as n, cardinality(:m::int[]) as m', {
      n: 4,
      m: [1, 2],
    }),
  ).toEqual({
    sql: 'select $1::int + $1::int as sum, $2::text as n, cardinality($3::int[]) as m',
    values: [4, 4, [1, 2]],
    rows: [{ sum: 8, n: '4', m: 2 }],
  });
});

test('a name without a cast is a parameter in each place, since each may want another type', async () => {
  const { sql, rows } = await statementOf(`select 1 + :n as sum, 'a' || :n as text`, { n: '4' });
  expect(sql).toBe(`select 1 + $1 as sum, 'a' || $2 as text`);
  expect(rows).toEqual([{ sum: 5, text: 'a4' }]);
});

test('what looks like a name in a text, and what is no binding, stays as it is', async () => {
  const { rows } = await statementOf(`select to_char(:at::timestamp, 'HH24:MI:SS') as time`, {
    at: '2026-11-22 22:08:09',
  });
  expect(rows).toEqual([{ time: '22:08:09' }]);
});

test.each([
  ['a value', { n: undefined }],
  ['one of a list', { n: [1, undefined] }],
])('%s that was forgotten is refused, and not taken for null', async (_name, bindings) => {
  await expect(query(db, 'select :n::int[]', bindings)).rejects.toThrow('the binding n is undefined');
});

test('an error of the database names the statement and what is wrong', async () => {
  await expect(query(db, 'select :n::int / 0', { n: 1 })).rejects.toThrow(
    'select $1::int / 0 - division by zero',
  );
});

test('a transaction that has ended takes no statement', async () => {
  const tx = await db.transaction(async (own) => own);
  await expect(query(tx, 'select 1')).rejects.toThrow(/Transaction query already complete/);
});
