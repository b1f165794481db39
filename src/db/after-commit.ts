import type { Tx } from './client.ts';

/**
 * Calls `work` once what `tx` wrote is committed: for a savepoint, when the transaction around it is. Never otherwise.
 */
export function afterCommit(tx: Tx, work: () => void): void {
  const ends: Promise<unknown>[] = [];
  for (let each: Tx | undefined = tx; each; each = each.parentTransaction) ends.push(each.executionPromise);
  Promise.all(ends).then(work, () => undefined);
}
