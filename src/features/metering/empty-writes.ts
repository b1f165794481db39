import type { Db } from '../../db/client.ts';
import { deleteRecordsOf } from '../../db/idempotency.ts';
import { deleteIntents, lockEmptyWrites, noteEmptied } from '../../engine/index.ts';
import { noteArchived } from './store.ts';

/**
 * Deletes up to `limit` writes that cost nothing and left nothing on the chain, a day after their verdict: without an
 * end they would fill the database at no price. Returns how many there were.
 */
export function deleteEmptyWrites(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const numbers = await lockEmptyWrites(tx, limit);
    if (numbers.length === 0) return 0;
    await noteEmptied(tx, numbers);
    await deleteRecordsOf(tx, numbers);
    await noteArchived(tx, numbers);
    await deleteIntents(tx, numbers);
    return numbers.length;
  });
}
