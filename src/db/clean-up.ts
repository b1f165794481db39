import type { Db } from './client.ts';

/** Deletes up to `limit` rows whose time is over, and answers how many there were. */
type DeleteOld = (db: Db, limit: number) => Promise<number>;

/** So few that no statement holds a lock or a disk for long. */
const BATCH = 1_000;
/** What is left then is left to the next time. */
const MAX_MS = 30_000;

/** Deletes what is old, in small batches one after the other. Returns how many rows. */
export async function cleanUp(db: Db, deletions: readonly DeleteOld[], signal: AbortSignal): Promise<number> {
  const end = Date.now() + MAX_MS;
  let total = 0;
  for (const deleteOld of deletions) {
    let deleted = BATCH;
    while (deleted === BATCH && Date.now() < end && !signal.aborted) {
      deleted = await deleteOld(db, BATCH);
      total += deleted;
    }
  }
  return total;
}
