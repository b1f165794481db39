import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { IS_QUEUED } from './phase.ts';
import { mayBeDone } from './server.ts';

/** SQL: that an intent was never in a transaction. */
const IS_NEVER_SENT = `${IS_QUEUED} and i.sent_in = '{}' and not ${mayBeDone('i')}`;

/**
 * Queued intents that were never in a transaction: nothing of them can have reached the chain. None while another
 * process than `holder` holds a lane, for that one will send them, or find itself that it cannot; nor for `otherHolderMs`
 * after that, since whoever holds a lane gives it up for a moment at times.
 */
export async function findNeverSent(
  db: Db,
  { holder, otherHolderMs, limit }: { holder: string; otherHolderMs: number; limit: number },
): Promise<bigint[]> {
  const rows = await query<{ number: bigint }>(
    db,
    // In the order of numbers, and not by the index that has it: that one has all intents, and begins with the oldest.
    `select i.number from intents i
      where ${IS_NEVER_SENT}
        and not exists (
          select 1 from lanes l
           where l.holder <> :holder and l.lease_until > now() - :otherHolderMs * interval '1 millisecond')
      order by -(-i.number) limit :limit`,
    { holder, otherHolderMs, limit },
  );
  return rows.map(({ number }) => number);
}

/**
 * Those of these intents that are never sent still, which stays so until the end of the transaction: since they were found,
 * another process may have sent one, and may have put it back when its bytes can still be mined.
 */
export async function lockNeverSent(tx: Tx, numbers: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const bindings = { numbers: numbers.map(String) };
  // By a statement of its own: one that waits for a row sees the row as it is then, and all else as it was before.
  await query(
    tx,
    `select 1 from intents where number = any(:numbers::bigint[]) order by number for update`,
    bindings,
  );
  const rows = await query<{ number: bigint }>(
    tx,
    `select i.number from intents i where i.number = any(:numbers::bigint[]) and ${IS_NEVER_SENT}`,
    bindings,
  );
  return new Set(rows.map(({ number }) => number));
}
