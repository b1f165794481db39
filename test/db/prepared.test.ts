import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Statements that a connection keeps. */

const { db: other, url } = useSuiteDatabase(1);
let db: Db;
/** Of the column. */
let type: 'int' | 'bigint';

beforeEach(async () => {
  type = 'int';
  await query(other, `create table numbers (n int)`);
  await query(other, 'insert into numbers values (7)');
  db = createDb(url, 1, { prepares: true });
});

afterEach(async () => {
  await db.destroy();
  await query(other, 'drop table numbers');
});

const read = (from: Db | Tx) => query(from, 'select n from numbers where n > :least', { least: 1 });
const kept = (from: Db | Tx) =>
  query(from, `select statement, generic_plans + custom_plans as runs from pg_prepared_statements`);

test('a statement is prepared once for each connection, in a transaction or not', async () => {
  for (let run = 0; run < 2; run += 1) expect(await read(db)).toEqual([{ n: 7 }]);
  expect(await db.transaction(read)).toEqual([{ n: 7 }]);
  expect(await kept(db)).toEqual([{ statement: 'select n from numbers where n > $1', runs: 3n }]);
});

test('none is kept where a pooler may be in between', async () => {
  expect(await read(other)).toEqual([{ n: 7 }]);
  expect(await kept(other)).toEqual([]);
});

test('several statements at once are not prepared', async () => {
  await query(db, 'insert into numbers values (8); insert into numbers values (9)');
  expect(await read(db)).toHaveLength(3);
});

async function alterColumn(): Promise<void> {
  type = type === 'int' ? 'bigint' : 'int';
  await query(other, `alter table numbers alter n type ${type}`);
}

test.each([
  ['has another shape since a migration', alterColumn],
  ['is gone', () => query(db, 'deallocate all')],
])('one that %s is prepared anew by the next connection', async (_name, change) => {
  expect(await read(db)).toHaveLength(1);
  for (const ask of [() => read(db), () => db.transaction(read)]) {
    await change();
    await expect(ask()).rejects.toThrow(/cached plan|does not exist/);
    expect(await ask()).toHaveLength(1);
  }
});
