import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../telemetry/logger.ts';
import { createProgress } from '../telemetry/progress.ts';
import { askOf, createDb, query } from './client.ts';
import type { Db, Tx } from './client.ts';
import { migrationTimeouts } from './connection.ts';
import { migrateJobs } from './jobs.ts';
import { retry, runStep } from './migration-steps.ts';
import { isTransactional } from './migration.ts';
import type { Migration } from './migration.ts';
import { release as thisRelease } from './release.ts';
import type { Release } from './release.ts';
import { SchemaRefused, findMissing, headOf, readApplied, refuseContracted } from './schema-range.ts';
import type { Applied } from './schema-range.ts';

type Log = Pick<Logger, 'info' | 'warn'>;

const POLL_MS = 200;
/** PostgreSQL's code for a table that exists already. */
const TABLE_EXISTS = '42P07';

/** What Knex's migrator has to know. One that is run by itself is noted in its own transaction, where it has one. */
export const migratorOf = (release: Release): Knex.MigratorConfig & { migrationSource: object } => ({
  migrationSource: {
    // Its command shows `file`.
    getMigrations: async () =>
      release.migrations.map((migration) => ({ ...migration, file: migration.name })),
    getMigrationName: ({ name }: Migration) => name,
    getMigration: async (migration: Migration) => ({
      up: (on: Knex) => apply(on, migration, release),
      down: () => Promise.reject(new Error('A migration is never undone: start the release before again')),
      config: { transaction: isTransactional(migration) },
    }),
  },
  // A database that a later release has expanded has migrations that this one does not know.
  disableMigrationsListValidation: true,
});

/**
 * Brings a database to the newest schema of a release, once no other process does so.
 * @param url of PostgreSQL itself. @throws SchemaRefused, and errors of PostgreSQL; what is complete by then stays
 */
export async function migrate(
  url: string,
  { release = thisRelease, log }: { release?: Release; log?: Log } = {},
): Promise<void> {
  await using db = openPool(url);
  while (!(await migrateAlone(db, url, release, log))) await sleep(POLL_MS);
}

/**
 * What a start does: migrates, unless it may not, or another process does. Then it returns as soon as the schema is one
 * that the release works on. @throws SchemaRefused as well when nobody migrates to such a schema
 */
export async function prepareSchema(
  url: string,
  { mayMigrate, release = thisRelease, log }: { mayMigrate: boolean; release?: Release; log?: Log },
): Promise<void> {
  await using db = openPool(url);
  for (let isFirst = true; ; isFirst = false) {
    if (mayMigrate && (await migrateAlone(db, url, release, log))) return;
    const isMigrating = mayMigrate || !(await db.transaction(lockMigrations));
    const applied = await readApplied(askOf(db));
    refuseContracted(applied, release);
    const missing = findMissing(applied, release);
    if (missing === null) return;
    if (!isMigrating) throw tooOld(applied, missing, release);
    if (isFirst) log?.info({ migration: missing }, 'the start waits for a migration by another process');
    await sleep(POLL_MS);
  }
}

function tooOld(applied: readonly Applied[], missing: string, release: Release): SchemaRefused {
  const newest = applied.findLast(({ isComplete }) => isComplete);
  const has = newest ? `has migrations up to ${newest.name}, by release ${newest.release}` : 'is empty';
  return new SchemaRefused(
    `The database ${has}, and this is release ${release.version}, which does not work without migration ${missing}: ` +
      `run "npm run admin -- migrate" of this release`,
  );
}

/** One connection for the lock, and one for the work, which is not all in one transaction. */
const openPool = (url: string): Db & AsyncDisposable => createDb(url, 2, { timeouts: migrationTimeouts });

/**
 * Takes what only one migrating process has, until the end of the transaction: then no process that was killed keeps
 * it, as it would Knex's own lock, a row. Whoever does not get it does not wait in the server, where the build of an
 * index would wait for it in turn.
 */
async function lockMigrations(tx: Tx): Promise<boolean> {
  const [row] = await query<{ isLocked: boolean }>(
    tx,
    `select pg_try_advisory_xact_lock(hashtext('mintmark migrations')) as "isLocked"`,
  );
  return row!.isLocked;
}

/** Returns whether no other process was migrating. */
async function migrateAlone(db: Db, url: string, release: Release, log?: Log): Promise<boolean> {
  return db.transaction(async (lock) => {
    if (!(await lockMigrations(lock))) return false;
    // It is idle for as long as the work takes. An idle one holds up neither vacuum nor the build of an index.
    await query(lock, 'set local idle_in_transaction_session_timeout = 0');
    const applied = await readApplied(askOf(db));
    refuseContracted(applied, release);
    await migrateJobs(url);
    const complete = new Set(applied.flatMap(({ name, isComplete }) => (isComplete ? [name] : [])));
    const pending = release.migrations.filter(({ name }) => !complete.has(name));
    if (pending.length === 0) return true;
    const progress = log && createProgress(log);
    await db.migrate.forceFreeMigrationsLock(migratorOf(release));
    for (const [place, { name }] of pending.entries()) {
      const where = { migration: name, step: place + 1, of: pending.length };
      if (pending.length > 1) progress?.(where, 'migrating');
      await migrateOne(db, lock, { name, release }, (reason) =>
        log?.warn({ ...where, reason }, 'a migration waits for other sessions, and is tried again'),
      );
    }
    log?.info({ migrations: pending.length, schema: headOf(release) }, 'migrated');
    return true;
  });
}

/**
 * By itself, and not all at once: Knex notes those of a batch that are not all transactions after the transaction of
 * each.
 * @throws what Knex or PostgreSQL says, with the name of the migration
 */
async function migrateOne(
  db: Db,
  lock: Tx,
  { name, release }: { name: string; release: Release },
  again: (reason: string) => void,
): Promise<void> {
  try {
    await retry(async () => {
      // As long as this answers, the lock is held.
      await query(lock, 'select 1');
      await db.migrate.up({ ...migratorOf(release), name });
    }, again);
  } catch (error) {
    if (name === release.migrations[0]!.name && (error as { code?: string }).code === TABLE_EXISTS) {
      throw new SchemaRefused(
        'This database belongs to an earlier, unreleased version, from which nothing can be taken over: ' +
          'start with an empty one',
      );
    }
    // Knex has put the statement before it: the whole schema, of the first one.
    if (error instanceof Error) error.message = `migration ${name}: ${error.message.split(' - ').at(-1)}`;
    throw error;
  }
}

/** Runs a migration, and notes of which release it is. */
async function apply(on: Db | Tx, migration: Migration, { version }: Release): Promise<void> {
  const { name, needs = null } = migration;
  const note = (): Promise<unknown> =>
    query(
      on,
      'insert into migration_releases (name, release, needs) values (:name, :version, :needs) on conflict do nothing',
      { name, version, needs },
    );
  // A release that it breaks refuses from the moment on at which it begins, or is there. The first one makes the table.
  if (!isTransactional(migration)) await note();
  await runStep(on, migration);
  if (isTransactional(migration)) await note();
}
