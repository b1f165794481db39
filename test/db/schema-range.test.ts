import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { askOf, createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { migrate, prepareSchema } from '../../src/db/migrate.ts';
import type { Migration } from '../../src/db/migration.ts';
import { release as thisRelease } from '../../src/db/release.ts';
import type { Release } from '../../src/db/release.ts';
import { findMissing, readApplied, refuseContracted } from '../../src/db/schema-range.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import type { TestDatabase } from '../../lab/stage/database.ts';

/* Which releases work on which schemas: releases of two tables, one after the other. */

let database: TestDatabase & { db: Db & AsyncDisposable };

beforeEach(async () => {
  const empty = await createEmptyDatabase();
  database = { ...empty, db: createDb(empty.url, 3) };
});

afterEach(async () => {
  await database.db[Symbol.asyncDispose]();
  await database.drop();
});

const first: Migration = {
  name: '001-things',
  whole: `create table things (number bigint primary key, old text);
          create table migration_releases (name text primary key, release text not null, needs text)`,
};
const expand: Migration = {
  name: '002-new-column',
  table: 'things',
  sql: 'alter table things add column new text',
};
const index: Migration = {
  name: '003-index',
  index: 'things_by_new',
  sql: 'create index concurrently things_by_new on things (new)',
};
const contract: Migration = {
  name: '004-without-old',
  needs: '002-new-column',
  table: 'things',
  sql: 'alter table things drop column old',
};
const all = [first, expand, index, contract];

/** A release that knows so many of them, and needs the one that comes so many before the last. */
const releaseOf = (count: number, before = 0): Release => ({
  version: `${count}.0.0`,
  migrations: all.slice(0, count),
  oldestSchema: all[count - 1 - before]!.name,
});
const start = (release: Release, mayMigrate = true) => prepareSchema(database.url, { mayMigrate, release });
const names = async () => (await readApplied(askOf(database.db))).map(({ name }) => name);

test('an earlier release starts on what later ones have expanded', async () => {
  await start(releaseOf(3));
  await start(releaseOf(1));
  expect(await names()).toEqual(all.slice(0, 3).map(({ name }) => name));
});

test('one that does not know what a contraction needs refuses, and names both', async () => {
  await start(releaseOf(4));
  await expect(start(releaseOf(1))).rejects.toThrow(
    'The database has migration 004-without-old of release 4.0.0, for which a release has to know migration 002-new-column; ' +
      'this is release 1.0.0, which knows migrations up to 001-things: ' +
      'start release 4.0.0, or one between them that knows 002-new-column',
  );
  await start(releaseOf(2));
});

test('it refuses from the moment at which the contraction begins, which one that is a transaction does as a whole', async () => {
  await start(releaseOf(3));
  const begin = (broken: Migration) =>
    expect(start({ ...releaseOf(4), migrations: [first, expand, index, broken] })).rejects.toThrow(
      /^migration 004-without-old: /,
    );
  await begin({ name: contract.name, needs: '002-new-column', sql: 'drop table things; select 1 / 0' });
  expect(await names()).toHaveLength(3);
  await begin({ name: contract.name, needs: '002-new-column', validate: 'none', table: 'things' });
  const applied = await readApplied(askOf(database.db));
  expect(applied.at(-1)).toEqual({
    name: contract.name,
    release: '4.0.0',
    needs: contract.needs,
    isComplete: false,
  });
  expect(() => refuseContracted(applied, releaseOf(1))).toThrow(/004-without-old/);
  expect(() => refuseContracted(applied, releaseOf(3))).not.toThrow();
});

test('a later release that may not migrate starts on the schema before, when that is enough', async () => {
  await start(releaseOf(2));
  await start(releaseOf(3, 1), false);
  expect(await names()).toHaveLength(2);
  await expect(start(releaseOf(3), false)).rejects.toThrow(
    'The database has migrations up to 002-new-column, by release 2.0.0, and this is release 3.0.0, ' +
      'which does not work without migration 003-index: run "npm run admin -- migrate" of this release',
  );
});

test('on an empty database it refuses as well', async () => {
  await expect(start(releaseOf(1), false)).rejects.toThrow(
    'The database is empty, and this is release 1.0.0',
  );
});

/** Lets a migration to the third wait for this transaction. */
async function holdMigration(): Promise<{ end(): Promise<void> }> {
  await start(releaseOf(2));
  const writer = await database.db.transaction();
  await query(writer, 'insert into things values (1)');
  const migrating = migrate(database.url, { release: releaseOf(3) });
  for (;;) {
    const waiting = await query(
      database.db,
      `select 1 from pg_stat_activity where datname = current_database() and query like 'create index%' and wait_event_type = 'Lock'`,
    );
    if (waiting.length > 0) break;
  }
  return {
    end: async () => {
      await writer.commit();
      await migrating;
    },
  };
}

test.each([true, false])(
  'while another process migrates, a start (which may migrate: %p) goes on when it can, and else waits',
  async (mayMigrate) => {
    const held = await holdMigration();
    await start(releaseOf(3, 1), mayMigrate);
    await start(releaseOf(2), mayMigrate);
    let isStarted = false;
    const waiting = start(releaseOf(3), mayMigrate).then(() => (isStarted = true));
    await start(releaseOf(2), mayMigrate);
    expect(isStarted).toBe(false);
    await held.end();
    await waiting;
    expect(findMissing(await readApplied(askOf(database.db)), releaseOf(3))).toBeNull();
  },
);

test('a migration that was interrupted is done again, and is not there until it is complete', async () => {
  await start(releaseOf(2));
  const broken: Migration = { name: index.name, validate: 'none', table: 'things' };
  const failing: Release = { ...releaseOf(3), migrations: [first, expand, broken] };
  await expect(start(failing)).rejects.toThrow(/none/);
  const readLast = async () => (await readApplied(askOf(database.db))).at(-1);
  expect(await readLast()).toMatchObject({ name: index.name, isComplete: false });
  // Who needs it does not go on, and others do.
  await expect(start(releaseOf(3), false)).rejects.toThrow(/does not work without migration 003-index/);
  await start(releaseOf(2), false);
  await start(releaseOf(3));
  expect(await readLast()).toMatchObject({ name: index.name, isComplete: true });
});

test('the release is that of the package', async () => {
  const { default: found } = await import('../../package.json', { with: { type: 'json' } });
  expect(thisRelease.version).toBe(found.version);
  expect(thisRelease.migrations.map(({ name }) => name)).toContain(thisRelease.oldestSchema);
});
