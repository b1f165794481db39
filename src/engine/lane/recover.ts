import { findUnfinished } from '../store/find-unfinished.ts';
import { resendOpen } from './broadcast.ts';
import type { Lane } from './lane.ts';

/**
 * What a new holder of a lane does first: load every transaction without a final verdict, and send the open ones again.
 * The bytes are those that were stored, so whatever the last holder had sent of them, a nonce stays one transaction.
 */
export async function recover(lane: Lane): Promise<void> {
  const { db, log, key, inFlight, head } = lane;
  await head.refresh();
  for (const transaction of await findUnfinished(db, key.signer)) inFlight.add(transaction);
  const { length } = inFlight.open();
  if (length > 0) log.info({ transactions: length }, 'sending what has no verdict again');
  await resendOpen(lane);
}
