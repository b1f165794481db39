import { createDb, query } from './client.ts';
import type { Tx } from './client.ts';
import { longTimeouts } from './connection.ts';
import { migrateJobs } from './jobs.ts';
import type { Migration } from './migration.ts';
import { accounts } from './migrations/001-accounts.ts';
import { engine } from './migrations/002-engine.ts';
import { features } from './migrations/003-features.ts';
import { lostCommits } from './migrations/004-lost-commits.ts';
import { editions } from './migrations/005-editions.ts';
import { tokenBounds } from './migrations/006-token-bounds.ts';

/** What the code promises is also a constraint, so that a second replica, an operator's psql or a mistake of ours is refused. */
export const migrations: readonly Migration[] = [
  accounts,
  engine,
  features,
  lostCommits,
  editions,
  tokenBounds,
];

export const CREATE_MIGRATIONS = `
  create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`;

/** A migration that every database of the unreleased first design has; its schema has nothing to migrate from. */
const FIRST_DESIGN = '002-retiring-lanes';

/**
 * Brings a database to the newest schema, all steps in one transaction. Knex's own runner keeps its lock in a
 * row that a killed process leaves behind and that makes a second replica fail instead of wait; a lock that ends
 * with the transaction does neither. The jobs have migrations of their own, which wait for the same lock.
 */
export async function migrate(url: string): Promise<void> {
  await using db = createDb(url, 1, { timeouts: longTimeouts });
  await db.transaction((tx) => migrateAll(tx, url));
}

async function migrateAll(tx: Tx, url: string): Promise<void> {
  // Behind PgBouncer the session may have the limit of an ordinary one.
  await query(tx, 'set local statement_timeout = 0');
  await query(tx, `select pg_advisory_xact_lock(hashtext('mintmark migrations'))`);
  await query(tx, CREATE_MIGRATIONS);
  const applied = await query<{ name: string }>(tx, 'select name from migrations');
  const known = new Set(migrations.map(({ name }) => name));
  if (applied.some(({ name }) => name === FIRST_DESIGN)) {
    throw new Error(
      'This database belongs to an earlier, unreleased version, from which nothing can be taken over: ' +
        'start with an empty one',
    );
  }
  const foreign = applied.find(({ name }) => !known.has(name));
  if (foreign) {
    throw new Error(
      `The database has migration ${foreign.name}, which this version does not know: start a newer version`,
    );
  }
  for (const { name, up } of migrations) {
    if (applied.some((row) => row.name === name)) continue;
    await tx.raw(up);
    await query(tx, 'insert into migrations (name) values (:name)', { name });
  }
  await migrateJobs(url);
}
