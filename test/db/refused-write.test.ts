import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { readRefusedWrite } from '../../src/db/refused-write.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(1);

const errorOf = (sql: string, bindings = {}): Promise<unknown> =>
  query(db, sql, bindings).then(
    () => null,
    (error: unknown) => error,
  );

test.each([
  ['a constraint', `insert into quarantined (intent_number, error) values (1, 'x')`, {}],
  ['a value that its type cannot hold', 'select cast(:text as text)', { text: 'a\u0000b' }],
  ['a number out of range', `select 70000::smallint`, {}],
  ['an exception of a trigger', `do $$ begin raise exception 'no'; end $$`, {}],
])('%s is refused for good', async (_name, sql, bindings) => {
  expect(readRefusedWrite(await errorOf(sql, bindings))).not.toBeNull();
});

test('what is told is what the database said, without the statement', async () => {
  const error = await errorOf(`do $$ begin raise exception 'no'; end $$`);
  expect(readRefusedWrite(error)).toBe('no');
});

test.each([
  ['an unknown table', 'select 1 from nothing_of_this_name'],
  ['a statement that was cancelled', `set statement_timeout = 1; select pg_sleep(1)`],
])('%s is another kind of error', async (_name, sql) => {
  const error = await errorOf(sql);
  expect(error).toBeInstanceOf(Error);
  expect(readRefusedWrite(error)).toBeNull();
});

test('an error that is none of the database is another kind', () => {
  expect(readRefusedWrite(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))).toBeNull();
  expect(readRefusedWrite('22000')).toBeNull();
});
