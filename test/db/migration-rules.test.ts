import { expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Migration, Step } from '../../src/db/migration.ts';
import { release } from '../../src/db/release.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { nextRelease } from '../../lab/upgrade/900-next-release.ts';
import { contraction } from '../../lab/upgrade/910-contraction.ts';
import { readReleasedHead } from '../../lab/upgrade/snapshot.ts';
import { FIRST, findFaults, findGaps } from './migration-rules.ts';

const { migrations } = release;
const placeOf = (name: string): number => migrations.findIndex((migration) => migration.name === name);
const firstOnline = placeOf(FIRST) + 1;
const online = [...migrations.slice(firstOnline), ...nextRelease, ...contraction];

test('migrations are numbered in their order', () => {
  const numbers = migrations.map(({ name }) => /^(\d{3})-[a-z][a-z-]*$/.exec(name)?.[1]);
  expect(numbers).toEqual([...numbers].sort());
  expect(new Set(numbers).size).toBe(numbers.length);
});

test.each(online)('$name holds no lock for long, and expands or says what it needs', async (migration) => {
  expect(await findFaults(migration)).toEqual([]);
});

/** Tables with what their rows are in. */
const readFiles = (db: Db) =>
  query<{ name: string; file: string }>(
    db,
    `select relname as name, relfilenode::text as file from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'knex%' order by 1`,
  );

/** The tables that these migrations rewrite. */
async function findRewritten(further: readonly Migration[]): Promise<string[]> {
  await using database = await createEmptyDatabase();
  await using db = createDb(database.url, 1);
  const whole = migrations.slice(0, firstOnline);
  await migrate(database.url, { release: { ...release, migrations: whole } });
  const before = await readFiles(db);
  await migrate(database.url, { release: { ...release, migrations: [...whole, ...further] } });
  const after = new Map((await readFiles(db)).map(({ name, file }) => [name, file]));
  return before
    .filter(({ name, file }) => after.has(name) && after.get(name) !== file)
    .map(({ name }) => name);
}

test('none rewrites a table', async () => {
  expect(await findRewritten(online)).toEqual([]);
  const rewriting = { name: '902-x', sql: 'alter table lanes alter column next_nonce type numeric(40)' };
  expect(await findRewritten([rewriting])).toEqual(['lanes']);
});

test.each<[string, Step, RegExp]>([
  [
    'builds an index under a lock',
    { table: 'intents', sql: 'create index by_kind on intents (kind)' },
    /concurrent/,
  ],
  [
    'builds another index',
    { index: 'a', sql: 'create index concurrently b on intents (kind)' },
    /not "create index/,
  ],
  ['builds none', { index: 'a', sql: 'create index a on intents (kind)' }, /not "create index/],
  [
    'fills a column for each row',
    { table: 'intents', sql: 'alter table intents add column token uuid default gen_random_uuid()' },
    /adding-field-with-default/,
  ],
  [
    'changes a type',
    { table: 'intents', sql: 'alter table intents alter kind type varchar(9)' },
    /changing-column-type/,
  ],
  ['checks all rows', { table: 'intents', sql: `alter table intents add check (kind <> '')` }, /not-valid/],
  [
    'looks for nulls',
    { table: 'intents', sql: 'alter table intents alter target set not null' },
    /not-nullable/,
  ],
  [
    'checks references',
    { table: 'intents', sql: 'alter table intents add foreign key (id) references tokens' },
    /not-valid|foreign-key/,
  ],
  [
    'builds a unique index',
    { table: 'intents', sql: 'alter table intents add unique (kind)' },
    /unique-constraint/,
  ],
  [
    'checks under the lock of its own',
    {
      table: 'intents',
      sql: `alter table intents add constraint c check (kind <> '') not valid; alter table intents validate constraint c`,
    },
    /not-valid/,
  ],
  ['drops an index', { table: 'intents', sql: 'drop index intents_live' }, /concurrent-index-deletion/],
  ['drops one without a lock', { dropped: 'intents_waiting' }, /only a contraction/],
  ['updates all rows', { table: 'intents', sql: `update intents set kind = ''` }, /may take long/],
  [
    'updates all rows after all',
    { sql: `create table a (b text default ';'); delete from intents` },
    /may take long/,
  ],
  [
    'copies rows',
    { sql: 'create table a (b bigint); insert into a select number from intents' },
    /may take long/,
  ],
  [
    'waits with a lock in hand',
    { table: 'intents', sql: 'alter table intents add column a int; alter table tokens add column a int' },
    /locks tokens/,
  ],
  [
    'waits for a table that it does not name',
    { sql: 'create table a (b bigint references intents)' },
    /locks intents/,
  ],
  ['drops a column', { table: 'intents', sql: 'alter table intents drop column kind' }, /ban-drop-column/],
  ['drops a table', { table: 'lanes', sql: 'drop table lanes' }, /ban-drop-table/],
  ['renames', { table: 'intents', sql: 'alter table intents rename column kind to sort' }, /renaming-column/],
  [
    'asks for more in each row',
    { table: 'lanes', sql: 'alter table lanes add column a text not null' },
    /required-field/,
  ],
])('one that %s is refused', async (_what, step, reason) => {
  expect((await findFaults({ name: '902-x', ...step })).join('\n')).toMatch(reason);
});

test('one that is run as a whole is refused', async () => {
  expect(await findFaults({ name: '902-x', whole: 'create table a ()' })).toEqual([
    'is for an empty database: take a step of another kind',
  ]);
});

test('this release and the one before run side by side', async () => {
  expect(findGaps(release, await readReleasedHead(FIRST))).toEqual([]);
});

test('a contraction in the release of its expansion is refused', () => {
  const both = { migrations: [...migrations, ...nextRelease, ...contraction], oldestSchema: FIRST };
  expect(findGaps(both, migrations.at(-1)!.name)).toEqual([
    '910-contraction needs 900-next-release, which the release before lacks: contract one release later',
  ]);
  expect(findGaps(both, nextRelease.at(-1)!.name)).toEqual([]);
});

test('a release that cannot start before a long migration is refused', () => {
  const needing = (oldestSchema: string) => ({ migrations: [...migrations, ...nextRelease], oldestSchema });
  expect(findGaps(needing('903-by-priority'), migrations.at(-1)!.name)).toEqual([
    'the release needs 902-priority-checked, which the one before lacks and which takes long',
    'the release needs 903-by-priority, which the one before lacks and which takes long',
  ]);
  expect(findGaps(needing('900-next-release'), migrations.at(-1)!.name)).toEqual([]);
});
