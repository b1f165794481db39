import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import { NEWEST } from './archive.ts';
import { mayBeReopened } from './epochs.ts';

/** As long as an idempotency record outlives the verdict on its intent. */
const LIFETIME = `interval '24 hours'`;
/** As in the index `intents_empty`. */
const IS_EMPTY = `(target is null or phase || '' = 'cancelled')`;

/**
 * Numbers of live intents that ended without anything being signed for them, since the token was so already or since they were
 * cancelled, and whose answers nobody can ask for again. Locked until the end of the transaction.
 */
export async function lockEmptyWrites(tx: Tx, limit: number): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    tx,
    `select number from intents i
      where environment = 'live' and ${IS_EMPTY} and final_at < now() - ${LIFETIME}
        and sent_in = '{}' and not was_sent and not ${mayBeReopened('i')} and number < ${NEWEST}
      order by final_at limit :limit for update skip locked`,
    { limit },
  );
  return rows.map(({ number }) => number);
}

/** Notes that intents up to the newest of these may be missing: processes that remember one then know why. */
export async function noteEmptied(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  await query(
    tx,
    `update server set emptied_up_to = greatest(emptied_up_to, (select max(n) from unnest(:numbers::bigint[]) n))`,
    { numbers: numbers.map(String) },
  );
}
