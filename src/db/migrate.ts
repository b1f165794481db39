import type { Db } from './client.ts';
import { query, urlOf } from './client.ts';
import { migrateJobs } from './jobs.ts';
import type { Migration } from './migration.ts';
import { initial } from './migrations/001-initial.ts';
import { retiringLanes } from './migrations/002-retiring-lanes.ts';
import { settledByContract } from './migrations/003-settled-by-contract.ts';
import { webhooks } from './migrations/004-webhooks.ts';
import { waitingDeliveries } from './migrations/005-waiting-deliveries.ts';
import { seenDone } from './migrations/006-seen-done.ts';
import { confirmedNotFinal } from './migrations/007-confirmed-not-final.ts';
import { waitingContracts } from './migrations/008-waiting-contracts.ts';

const migrations: readonly Migration[] = [
  initial,
  retiringLanes,
  settledByContract,
  webhooks,
  waitingDeliveries,
  seenDone,
  confirmedNotFinal,
  waitingContracts,
];

/**
 * Brings the database to the newest schema, all steps in one transaction. Knex's own runner keeps its lock in a
 * row that a killed process leaves behind and that makes a second replica fail instead of wait; a lock that ends
 * with the transaction does neither. The jobs have migrations of their own, which wait for the same lock.
 */
export async function migrate(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await query(tx, `select pg_advisory_xact_lock(hashtext('mintmark migrations'))`);
    await query(
      tx,
      `create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`,
    );
    const applied = await query<{ name: string }>(tx, 'select name from migrations');
    const known = new Set(migrations.map(({ name }) => name));
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
    await migrateJobs(urlOf(db));
  });
}
