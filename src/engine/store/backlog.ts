import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/** How the queue stands, over all replicas. */
export interface Backlog {
  /** Whether any signer can pay for gas. */
  funded: boolean;
  /** Milliseconds since the oldest intent that was never sent was accepted; 0 when none waits. */
  oldestQueuedMs: number;
}

export async function readBacklog(db: Db): Promise<Backlog> {
  const [row] = await query<Backlog>(
    db,
    `select (select coalesce(bool_or(funded), true) from lanes where not retiring) as funded,
            (select coalesce(extract(epoch from now() - min(created_at)) * 1000, 0)::float8
               from intents where status = 'queued') as "oldestQueuedMs"`,
  );
  return row!;
}
