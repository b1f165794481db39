import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { PauseReason } from './lanes.ts';

/** State of the queue, over all replicas. */
export interface Backlog {
  /** Whether any signer can pay for gas. */
  funded: boolean;
  /** Milliseconds since the oldest intent that was never sent was accepted; 0 when none waits. */
  oldestQueuedMs: number;
  /**
   * Milliseconds since the chain was last read up to its head while something waits for it; 0 when nothing does, for then
   * nobody reads it.
   */
  unreadMs: number;
  /** Lanes that send nothing for the time being, and not for want of blocks. */
  paused: { signer: Hex; pauseReason: PauseReason }[];
  /** Whether a reorg that took a final block away is unresolved, and whether a person has to resolve it. */
  deepReorg: 'none' | 'waiting' | 'needs-person';
}

/**
 * SQL of the milliseconds since the newest block of the chain was read the last time, or since the first of the transactions that wait for
 * one was signed.
 */
const UNREAD_MS = `(select case when count(*) = 0 then 0 else greatest(0, extract(epoch from
                      now() - greatest(min(t.created_at), (select looked_at from follower))) * 1000) end::float8
               from transactions t where t.status in ('open', 'mined'))`;

export async function readBacklog(db: Db): Promise<Backlog> {
  const [row] = await query<Backlog>(
    db,
    `select (select coalesce(bool_or(funded), true) from lanes where not retiring) as funded,
            -- The first of each contract counts, however many wait behind it.
            (select coalesce(extract(epoch from now() - min(i.created_at)) * 1000, 0)::float8
               from contract_lanes c, lateral (
                 select created_at from intents
                  where contract = c.contract and status = 'queued' order by number limit 1) i
              where c.waiting) as "oldestQueuedMs",
            ${UNREAD_MS} as "unreadMs",
            (select coalesce(json_agg(json_build_object('signer', '0x' || encode(signer, 'hex'), 'pauseReason', pause_reason) order by signer), '[]')
               from lanes where pause_reason <> 'stuck' and lease_until > now() and not retiring) as paused,
            coalesce((select case when needs_person then 'needs-person' else 'waiting' end
                        from deep_reorgs where resolved_at is null), 'none') as "deepReorg"`,
  );
  return row!;
}
