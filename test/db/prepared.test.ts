import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Statements that a connection keeps. */

const { db: other, url } = useSuiteDatabase(1);
let db: Db & AsyncDisposable;
/** Of the column. */
let type: 'int' | 'bigint';

beforeEach(async () => {
  type = 'int';
  await query(other, `create table numbers (n int)`);
  await query(other, 'insert into numbers values (7)');
  db = createDb(url, 1, { prepares: true });
});

afterEach(async () => {
  await db[Symbol.asyncDispose]();
  await query(other, 'drop table numbers');
});

const READ = 'select n from numbers where n > :least';
const STATEMENT = 'select n from numbers where n > $1';
/** By what it says, whatever was asked before. */
const READ_NAME = `mintmark_${createHash('sha256').update(STATEMENT).digest('hex').slice(0, 32)}`;
const read = (from: Db | Tx) => query(from, READ, { least: 1 });
const kept = (from: Db | Tx) =>
  query(
    from,
    `select name, statement, generic_plans + custom_plans as runs from pg_prepared_statements
     where statement not like '%from pg_prepared_statements%'`,
  );

test('a statement is prepared once for each connection, in a transaction or not', async () => {
  for (let run = 0; run < 2; run += 1) expect(await read(db)).toEqual([{ n: 7 }]);
  expect(await db.transaction(read)).toEqual([{ n: 7 }]);
  expect(await kept(db)).toEqual([{ name: READ_NAME, statement: STATEMENT, runs: 3n }]);
});

test('a statement without parameters is prepared too', async () => {
  for (let run = 0; run < 2; run += 1) expect(await query(db, 'select n from numbers')).toEqual([{ n: 7 }]);
  expect(await kept(db)).toMatchObject([{ statement: 'select n from numbers', runs: 2n }]);
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

test('one that is there already, of another connection behind a pooler, is prepared by the next connection', async () => {
  await query(db, `prepare ${READ_NAME} as ${STATEMENT}`);
  await expect(read(db)).rejects.toThrow(/already exists/);
  expect(await read(db)).toEqual([{ n: 7 }]);
});

test('one that was planned for a table with next to nothing reads the full table by its index', async () => {
  await query(other, 'create index on numbers (n)');
  await query(other, 'vacuum analyze numbers');
  for (let run = 0; run < 10; run += 1) await read(db);
  await query(other, 'insert into numbers select -n from generate_series(1, 20000) n');
  const rows = await query<{ 'QUERY PLAN': string }>(db, `explain execute ${READ_NAME} (1)`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/^(Index|Bitmap)/);
  // The plan that is kept.
  expect(plan).toMatch(/n > \$1/);
});
