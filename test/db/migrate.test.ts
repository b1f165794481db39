import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Migration } from '../../src/db/migration.ts';
import { release } from '../../src/db/release.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import type { TestDatabase } from '../../lab/stage/database.ts';

let database: TestDatabase;
let pools: AsyncDisposable[];

const url = () => database.url;

/** A pool to the test's own database, which is empty at first. */
function open(): Db {
  const db = createDb(url(), 2);
  pools.push(db);
  return db;
}

beforeEach(async () => {
  database = await createEmptyDatabase();
  pools = [];
});

afterEach(async () => {
  await Promise.all(pools.map((db) => db[Symbol.asyncDispose]()));
  await database.drop();
});

/** Everything that a migration could change: tables, columns, constraints, indexes, and when it was applied. */
const describeSchema = (db: Db) =>
  query<{ line: string }>(
    db,
    `select format('%s.%s %s %s', table_name, column_name, data_type, column_default) as line
       from information_schema.columns where table_schema = 'public'
     union all select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace = 'public'::regnamespace
     union all select indexdef from pg_indexes where schemaname = 'public'
     union all select format('%s %s', name, migration_time) from knex_migrations
      order by 1`,
  );
const migrations = (db: Db) => query<{ name: string }>(db, 'select name from knex_migrations order by name');

/** Process id of a backend that waits for this. */
async function waitForEvent(db: Db, event: string): Promise<number> {
  for (let look = 0; look < 400; look += 1) {
    const [backend] = await query<{ pid: number }>(
      db,
      'select pid from pg_stat_activity where datname = current_database() and wait_event = :event',
      { event },
    );
    if (backend) return backend.pid;
    await sleep(25);
  }
  throw new Error(`nobody waits for ${event}`);
}

test('an empty database gets the whole schema', async () => {
  const db = open();
  await migrate(url());
  const tables = await query<{ name: string }>(
    db,
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  const schema = await readFile('src/db/schema.sql', 'utf8');
  expect(tables.map((table) => table.name)).toEqual(
    [...schema.matchAll(/^create (?:table|view) (\w+)/gm)].map(([, table]) => table),
  );
});

test('an empty database gets no account, credential or invite', async () => {
  const db = open();
  await migrate(url());
  for (const table of ['accounts', 'credentials', 'invites'])
    expect(await query(db, `select 1 from ${table}`)).toEqual([]);
});

test('migrating again changes nothing', async () => {
  const db = open();
  await migrate(url());
  await query(db, `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@b.c', 'x')`);
  const before = await describeSchema(db);
  await migrate(url());
  expect(await describeSchema(db)).toEqual(before);
  expect(await query(db, 'select email from accounts')).toEqual([{ email: 'a@b.c' }]);
});

test('replicas that start together migrate one after another', async () => {
  const replicas = Array.from({ length: 6 });
  const outcomes = await Promise.allSettled(replicas.map(() => migrate(url())));
  expect(outcomes).toEqual(outcomes.map(() => ({ status: 'fulfilled', value: undefined })));
  const applied = (await migrations(open())).map((migration) => migration.name);
  expect(new Set(applied).size).toBe(applied.length);
});

test('a replica that dies during a migration leaves none of it behind, and the next one migrates', async () => {
  const observer = open();
  // An uncommitted table of the same name blocks the migration after its first statements.
  const blocker = await observer.transaction();
  await query(blocker, 'create table accounts ()');
  const first = migrate(url());
  const firstEnd = expect(first).rejects.toThrow(/^migration 001-schema: .*connection/);
  const pid = await waitForEvent(observer, 'transactionid');
  let isSecondDone = false;
  const second = migrate(url()).then(() => (isSecondDone = true));
  await query(observer, 'select pg_terminate_backend(:pid)', { pid });
  await firstEnd;
  expect(await migrations(observer)).toEqual([]);
  expect(await query(observer, `select to_regclass('migration_releases') as left`)).toEqual([{ left: null }]);
  expect(isSecondDone).toBe(false);
  await blocker.rollback();
  await second;
  expect(await query(observer, 'select * from accounts')).toEqual([]);
  expect(await migrations(observer)).toHaveLength(release.migrations.length);
});

test('two processes that run one migration, since the first lost its lock, pass over none of the next', async () => {
  const observer = open();
  await migrate(url());
  const further: Migration[] = [
    {
      name: '997-twice',
      index: 'accounts_twice',
      sql: 'create index concurrently accounts_twice on accounts (password_hash)',
    },
    { name: '998-broken', sql: 'create table half (); select 1 / 0' },
    { name: '999-after', sql: 'select 1' },
  ];
  const next = { ...release, migrations: [...release.migrations, ...further] };
  const writer = await observer.transaction();
  await query(
    writer,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'b@b.c', 'x')`,
  );
  const run = () => migrate(url(), { release: next });
  const first = expect(run()).rejects.toThrow(/connection/);
  await waitForEvent(observer, 'virtualxid');
  await query(
    observer,
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
  );
  const second = expect(run()).rejects.toThrow('migration 998-broken: division by zero');
  await waitForEvent(observer, 'relation');
  await writer.rollback();
  await Promise.all([first, second]);
  expect(new Set((await migrations(observer)).map(({ name }) => name))).toEqual(
    new Set(['001-schema', '997-twice']),
  );
  // Nothing of one that failed.
  expect(await query(observer, `select to_regclass('half') as half`)).toEqual([{ half: null }]);
  expect(await query(observer, `select 1 from migration_releases where name like '998%'`)).toEqual([]);
});

test('a process that was killed in a migration keeps no other from it', async () => {
  const db = open();
  await migrate(url());
  await query(db, 'update knex_migrations_lock set is_locked = 1');
  const further: Migration = { name: '999-after', sql: 'create table after_it ()' };
  await migrate(url(), { release: { ...release, migrations: [...release.migrations, further] } });
  expect((await migrations(db)).at(-1)).toEqual({ name: '999-after' });
});

test('a database of an earlier, unreleased schema is refused with a sentence that says what to do', async () => {
  const db = open();
  await query(db, 'create table migrations (name text primary key); create table accounts ()');
  await expect(migrate(url())).rejects.toThrow(/^This database .*earlier, unreleased version.*empty one$/);
  expect(await migrations(db)).toEqual([]);
});

const run = promisify(execFile);

test('Knex shows its users what a database has and lacks, and leaves the work to the command', async () => {
  const knex = (command: string) =>
    run(process.execPath, ['node_modules/knex/bin/cli.js', command], {
      env: { ...process.env, DATABASE_URL: url(), NODE_ENV: 'production' },
    });
  const lacks = (await knex('migrate:status')).stdout;
  expect(lacks).toMatch(/No Completed Migration files Found[^]*001-schema/);
  await expect(knex('migrate:latest')).rejects.toMatchObject({
    stderr: expect.stringContaining('Run "npm run admin -- migrate" instead'),
  });
  await migrate(url());
  const { stdout } = await knex('migrate:status');
  expect(stdout).toMatch(/Found 1 Completed Migration file[^]*001-schema[^]*No Pending/);
  await expect(knex('migrate:rollback')).rejects.toMatchObject({
    stderr: expect.stringContaining('Run "npm run admin -- migrate" instead'),
  });
});
