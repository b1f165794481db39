import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { chunksOf } from '../../lib/chunks.ts';

/** PostgreSQL takes 8,000 bytes in a notice; a number has 19 digits at most, and a comma. */
const MAX_NUMBERS_PER_NOTICE = 380;

/** SQL that notifies the lanes of every process that there is something to send. */
export const NOTICE_OF_QUEUED = `select pg_notify('mintmark_queued', '')`;

/** Does so alone. */
export async function notifyQueued(tx: Tx): Promise<void> {
  await query(tx, NOTICE_OF_QUEUED);
}

/** Notifies the waiting requests of every replica. */
export async function notifySettled(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  if (numbers.length === 0) return;
  const payloads = [...chunksOf(numbers, MAX_NUMBERS_PER_NOTICE)].map((page) => page.join(','));
  await query(tx, `select pg_notify('mintmark_settled', payload) from unnest(:payloads::text[]) as payload`, {
    payloads,
  });
}

/** Notifies the lanes of every process that something of the chain that may be theirs was stored. */
export async function notifyChain(tx: Tx): Promise<void> {
  await query(tx, `select pg_notify('mintmark_chain', '')`);
}

/** Asks whoever reads the chain to look at it now. */
export async function notifyLook(db: Db | Tx): Promise<void> {
  await query(db, `select pg_notify('mintmark_look', '')`);
}
