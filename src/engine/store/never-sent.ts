import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { mayBeDone } from './server.ts';

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
    `select i.number from intents i
      where i.status = 'queued' and not ${mayBeDone('i')}
        and not exists (select 1 from transaction_intents m where m.intent_number = i.number)
        and not exists (
          select 1 from lanes l
           where l.holder <> :holder and l.lease_until > now() - :otherHolderMs * interval '1 millisecond')
      order by i.number limit :limit`,
    { holder, otherHolderMs, limit },
  );
  return rows.map(({ number }) => number);
}
