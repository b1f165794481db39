import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { retry, runStep } from '../../src/db/migration-steps.ts';
import { isTransactional } from '../../src/db/migration.ts';
import type { Step } from '../../src/db/migration.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const ROWS = 2_500;

const { db } = useSuiteDatabase(4);
let reasons: string[] = [];

beforeEach(async () => {
  reasons = [];
  await query(
    db,
    `drop table if exists things;
     create table things (number bigint primary key, old text not null, new text);
     insert into things (number, old) select n::bigint * 1000000, 'x' || n from generate_series(1, ${ROWS}) n`,
  );
});

const run = (step: Step) =>
  retry(
    () => (isTransactional(step) ? db.transaction((tx) => runStep(tx, step)) : runStep(db, step)),
    (reason) => reasons.push(reason),
  );
const INDEX: Step = {
  index: 'things_by_old',
  sql: 'create index concurrently things_by_old on things (old)',
};
const isValid = async () =>
  (
    await query<{ valid: boolean }>(
      db,
      `select indisvalid as valid from pg_index where indexrelid = to_regclass('things_by_old')`,
    )
  ).map(({ valid }) => valid);

test('a short change gives up its place in the queue again and again, until whoever reads has ended', async () => {
  const reader = await db.transaction();
  await query(reader, 'select 1 from things limit 1');
  const altered = run({ table: 'things', sql: 'alter table things add column more text' });
  let longest = 0;
  while (reasons.length < 2) {
    const began = performance.now();
    await query(db, `update things set new = 'y' where number = 1000000`);
    longest = Math.max(longest, performance.now() - began);
    await sleep(10);
  }
  await reader.rollback();
  await altered;
  expect(reasons[0]).toMatch(/lock timeout/);
  expect(await query(db, 'select more from things where number = 1000000')).toEqual([{ more: null }]);
  // It did wait behind the change, and for as long as that waited.
  expect(longest).toBeGreaterThan(50);
});

test('a short change that takes long is cancelled, and in the end an error', async () => {
  const step = { table: 'things', sql: 'lock table things; select pg_sleep(30)' };
  await expect(run(step)).rejects.toThrow(/statement timeout/);
});

test('an index is built without blocking writes, once', async () => {
  const writer = await db.transaction();
  await query(writer, `update things set new = 'y' where number = 1000000`);
  const built = run(INDEX);
  for (let tries = 0; tries < 400; tries += 1) {
    const waiting = await query(
      db,
      `select 1 from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) break;
    await sleep(25);
  }
  await query(db, `update things set new = 'y' where number = 2000000`);
  await writer.commit();
  await built;
  expect(await isValid()).toEqual([true]);
  const [before] = await query(db, `select 'things_by_old'::regclass::oid`);
  await run(INDEX);
  expect(await query(db, `select 'things_by_old'::regclass::oid`)).toEqual([before]);
});

test('what an interrupted build has left is dropped, and the index built anew', async () => {
  const writer = await db.transaction();
  await query(writer, `update things set new = 'y' where number = 1000000`);
  const ended = expect(run(INDEX)).rejects.toThrow(/terminat/);
  for (let tries = 0; tries < 400; tries += 1) {
    const killed = await query(
      db,
      `select pg_terminate_backend(pid) from pg_stat_activity
        where query like 'create index concurrently%' and wait_event_type = 'Lock'`,
    );
    if (killed.length > 0) break;
    await sleep(25);
  }
  await ended;
  await writer.rollback();
  expect(await isValid()).toEqual([false]);
  await run(INDEX);
  expect(await isValid()).toEqual([true]);
});

test('rows are filled in batches, across gaps of numbers, each row once', async () => {
  await query(db, `update things set new = 'already' where number = 3000000`);
  await query(db, 'create table writes (rows int)');
  await query(
    db,
    `create function count_writes() returns trigger language plpgsql as $$
       begin insert into writes select count(*) from written; return null; end $$;
     create trigger counted after update on things referencing new table as written
       for each statement execute function count_writes()`,
  );
  await run({ backfill: 'things', key: 'number', set: 'new = upper(old)', where: 'new is null' });
  const wrong = await query(db, `select number from things where new is distinct from upper(old)`);
  expect(wrong).toEqual([{ number: 3_000_000n }]);
  expect(await query(db, 'select rows from writes')).toEqual([{ rows: 999 }, { rows: 1_000 }, { rows: 500 }]);
});

test('a constraint that was added for new rows is checked for the others', async () => {
  const add = `alter table things add constraint filled check (new is not null) not valid`;
  const validate: Step = { validate: 'filled', table: 'things' };
  await run({ table: 'things', sql: add });
  await expect(run(validate)).rejects.toThrow(/violated/);
  await run({ backfill: 'things', key: 'number', set: 'new = old', where: 'new is null' });
  await run(validate);
  expect(await query(db, `select convalidated from pg_constraint where conname = 'filled'`)).toEqual([
    { convalidated: true },
  ]);
});
