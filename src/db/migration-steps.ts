import { setTimeout as sleep } from 'node:timers/promises';
import { query } from './client.ts';
import type { Db, Tx } from './client.ts';
import type { BackfillStep, IndexStep, ShortStep, Step } from './migration.ts';

/**
 * In milliseconds. A statement that waits for a lock lets all later ones of the table wait behind it, and one that has
 * it as well: together they stay below a second.
 */
const LOCK_WAIT_MS = 300;
const LOCKED_MS = 600;
/** What waits behind a try gets its turn before the next one. */
const PAUSE_MS = 1_000;
/** A backup, or a report, reads for so long. */
const RETRY_TIMEOUT_MS = 30 * 60_000;
/** A statement that takes too long each time reads or rewrites its table. */
const MAX_OVERLONG = 5;
const ROWS_AT_ONCE = 1_000;

/** Codes of PostgreSQL. */
const [NO_LOCK, CANCELED, DEADLOCK] = ['55P03', '57014', '40P01'];

/** Tries again while others hold the locks that a step needs. @param again is called before, with the reason */
export async function retry(work: () => Promise<void>, again: (reason: string) => void): Promise<void> {
  const deadline = performance.now() + RETRY_TIMEOUT_MS;
  for (let overlong = 0; ;) {
    try {
      return await work();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== NO_LOCK && code !== CANCELED && code !== DEADLOCK) throw error;
      if (code === CANCELED) overlong += 1;
      if (overlong >= MAX_OVERLONG || performance.now() > deadline) throw error;
      again(message);
      await sleep(PAUSE_MS);
    }
  }
}

/** Runs a step once. @param on a transaction for one that `isTransactional`, and else the pool */
export async function runStep(on: Db | Tx, step: Step): Promise<void> {
  if ('whole' in step) {
    // Behind PgBouncer the session may have the limit of an ordinary one.
    await query(on, 'set local statement_timeout = 0');
    await query(on, step.whole);
  } else if ('index' in step) await buildIndex(on, step);
  else if ('dropped' in step) await query(on, `drop index concurrently if exists ${step.dropped}`);
  else if ('backfill' in step) await backfill(on, step);
  else if ('validate' in step) {
    // It waits for no ordinary statement, and none for it, however long it reads.
    await query(on, `alter table ${step.table} validate constraint ${step.validate}`);
  } else await runShort(on, step);
}

/**
 * Autovacuum gives way to whoever has waited for a second, which is too long for others to wait behind. So the first
 * lock is one that only autovacuum and other changes of the schema conflict with: it waits as long as it takes, and
 * keeps autovacuum out.
 */
async function runShort(tx: Db | Tx, { table, sql }: ShortStep): Promise<void> {
  if (table !== undefined) await query(tx, `lock table ${table} in share update exclusive mode`);
  await query(tx, `set local lock_timeout = ${LOCK_WAIT_MS}`);
  await query(tx, `set local statement_timeout = ${LOCKED_MS}`);
  await query(tx, sql);
}

/** A build that was interrupted leaves an index behind that is kept up to date and never read. */
async function buildIndex(db: Db, { index, sql }: IndexStep): Promise<void> {
  const left = await findIndex(db, index);
  if (left) {
    // The server may not know yet that whoever began to build it is gone: then it is built to its end first.
    await db.transaction((tx) => query(tx, `lock table ${left.table} in share update exclusive mode`));
    if ((await findIndex(db, index))?.isValid) return;
    await query(db, `drop index concurrently if exists ${index}`);
  }
  await query(db, sql);
}

async function findIndex(db: Db, index: string): Promise<{ table: string; isValid: boolean } | undefined> {
  const [found] = await query<{ table: string; isValid: boolean }>(
    db,
    `select indrelid::regclass::text as table, indisvalid as "isValid" from pg_index where indexrelid = to_regclass(:index)`,
    { index },
  );
  return found;
}

/** Works at most half of the time, each batch in a transaction of its own. */
async function backfill(db: Db, { backfill: table, key, set, where }: BackfillStep): Promise<void> {
  for (let after: bigint | null = -1n; after !== null;) {
    const began = performance.now();
    const [page]: { last: bigint | null }[] = await query<{ last: bigint | null }>(
      db,
      `select max(key) as last from (select ${key} as key from ${table} where ${key} > :after order by ${key} limit ${ROWS_AT_ONCE}) page`,
      { after: String(after) },
    );
    const last: bigint | null = page!.last;
    if (last !== null) {
      await query(db, `update ${table} set ${set} where ${key} > :after and ${key} <= :last and (${where})`, {
        after: String(after),
        last: String(last),
      });
    }
    after = last;
    await sleep(performance.now() - began);
  }
}
