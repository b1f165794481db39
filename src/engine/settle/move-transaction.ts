import type { Tx } from '../../db/client.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { requeueIntents } from '../store/requeue.ts';
import type { Requeue } from '../store/requeue.ts';
import { releaseMembers, updateTransaction } from '../store/transactions.ts';
import type { Transaction } from '../store/transactions.ts';

/**
 * Moves the row of a transaction from the state in which this lane knows it.
 * @throws LaneLost when it is in another one: somebody else wrote it, who may have said more than can be seen here
 */
export async function moveTransaction(
  tx: Tx,
  { key }: Pick<Lane, 'key'>,
  { id, mined }: Transaction,
  to: Parameters<typeof updateTransaction>[4],
): Promise<void> {
  if (!(await updateTransaction(tx, key, id, mined ? 'mined' : 'open', to))) throw new LaneLost();
}

/** Frees intents of a transaction and puts them back into the queue. */
export async function requeueMembers(
  tx: Tx,
  { id }: Transaction,
  intents: readonly Requeue[],
): Promise<void> {
  if (intents.length === 0) return;
  await releaseMembers(
    tx,
    id,
    intents.map(({ number }) => number),
  );
  await requeueIntents(tx, intents, 'submitted');
}
