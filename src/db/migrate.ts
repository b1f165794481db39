import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';
import { createProgress } from '../telemetry/progress.ts';
import { askOf, createDb, query } from './client.ts';
import type { Db, Tx } from './client.ts';
import { migrationTimeouts } from './connection.ts';
import { migrateJobs } from './jobs.ts';
import { runStep } from './migration-steps.ts';
import type { Migration } from './migration.ts';
import { release as thisRelease } from './release.ts';
import type { Release } from './release.ts';
import { SchemaRefused, findMissing, headOf, readApplied, refuseContracted } from './schema-range.ts';
import type { Applied } from './schema-range.ts';

type Log = Pick<Logger, 'info' | 'warn'>;

/** Other releases read it: columns are only ever added, and what is null in one says nothing. */
const TABLE = `
  create table if not exists migrations (name text primary key, applied_at timestamptz not null default now());
  alter table migrations add column if not exists release text, add column if not exists needs text,
    add column if not exists steps_left integer check (steps_left > 0)`;

const POLL_MS = 200;

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
 * What a start does: migrates, unless it may not, or another process does. Then it returns as soon as the schema is one that the
 * release works on. @throws SchemaRefused as well when nobody migrates to such a schema
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
  const newest = applied.findLast(({ stepsLeft }) => stepsLeft === null);
  const has = newest ? `has migrations up to ${newest.name}` : 'is empty';
  const by = newest?.release ? `, by release ${newest.release}` : '';
  return new SchemaRefused(
    `The database ${has}${by}, and this is release ${release.version}, which does not work without migration ${missing}: ` +
      `run "npm run admin -- migrate" of this release`,
  );
}

/** One connection for the lock, and one for the work, which is not all in one transaction. */
const openPool = (url: string): Db & AsyncDisposable => createDb(url, 2, { timeouts: migrationTimeouts });

/**
 * Takes what only one migrating process has, until the end of the transaction: then no process that was killed keeps it. Whoever
 * does not get it does not wait in the server, where the build of an index would wait for it in turn.
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
    const ask = askOf(db);
    refuseContracted(await readApplied(ask), release);
    await prepareTable(db);
    await migrateJobs(url);
    const applied = new Map((await readApplied(ask)).map((row) => [row.name, row]));
    const progress = log && createProgress(log);
    let count = 0;
    for (const migration of release.migrations) {
      const before = applied.get(migration.name);
      if (before && before.stepsLeft === null) continue;
      // As long as this answers, the lock is held.
      const stillAlone = (): Promise<unknown> => query(lock, 'select 1');
      await apply(db, migration, { left: before?.stepsLeft ?? null, release, log, progress, stillAlone });
      count += 1;
    }
    if (count > 0) log?.info({ migrations: count, schema: headOf(release) }, 'migrated');
    return true;
  });
}

/** Not by `if not exists` alone, which waits for every backup that reads the table. */
async function prepareTable(db: Db): Promise<void> {
  const columns = await query(
    db,
    `select 1 from pg_attribute where attrelid = to_regclass('migrations') and attname = 'steps_left'`,
  );
  if (columns.length > 0) return;
  const finish = async (): Promise<void> => undefined;
  await runStep(db, { sql: TABLE }, finish, () => undefined);
}

interface Application {
  /** Steps that are left of it; null when it has not begun. */
  left: number | null;
  release: Release;
  log: Log | undefined;
  progress: ReturnType<typeof createProgress> | undefined;
  stillAlone: () => Promise<unknown>;
}

async function apply(
  db: Db,
  migration: Migration,
  { left, release, log, progress, stillAlone }: Application,
): Promise<void> {
  const { name } = migration;
  const begin = (on: Db | Tx, needs: string | null, steps: number | null): Promise<unknown> =>
    query(
      on,
      `insert into migrations (name, release, needs, steps_left) values (:name, :version, :needs, :steps::int)`,
      { name, version: release.version, needs, steps },
    );
  if ('up' in migration) {
    await stillAlone();
    await db.transaction(async (tx) => {
      // Behind PgBouncer the session may have the limit of an ordinary one.
      await query(tx, 'set local statement_timeout = 0');
      await query(tx, migration.up);
      await begin(tx, null, null);
    });
    return;
  }
  const { steps, needs = null } = migration;
  // Before the first step: a release that it breaks refuses from then on.
  if (left === null) await begin(db, needs, steps.length);
  for (let place = steps.length - (left ?? steps.length); place < steps.length; place += 1) {
    await stillAlone();
    const where = { migration: name, step: place + 1, of: steps.length };
    progress?.(where, 'migrating');
    const finish = (on: Db | Tx): Promise<void> => countStep(on, name, steps.length - place);
    await runStep(db, steps[place]!, finish, (reason) =>
      log?.warn({ ...where, reason }, 'a step of a migration waits for other sessions, and is tried again'),
    );
  }
}

/** A process that lost the lock without noticing may have done the same step: it counts once, or a later one would never run. */
async function countStep(on: Db | Tx, name: string, left: number): Promise<void> {
  const counted = await query(
    on,
    `update migrations set steps_left = nullif(:left::int - 1, 0) where name = :name and steps_left = :left::int returning 1`,
    { name, left },
  );
  if (counted.length === 0) throw new Error(`another process has done a step of migration ${name} meanwhile`);
}
