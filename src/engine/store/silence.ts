import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';

/**
 * SQL: whether no process has reached the chain for `:outOfReachMs`, as far as the database knows. A time that is still to come
 * is of a clock that was set back since.
 */
export const IS_CHAIN_SILENT = `(
          select silent_since <= now() - :outOfReachMs * interval '1 millisecond' from follower) is true`;

/** Whether a process has found no endpoint that answers, and none has found one since. */
export async function isSilenceNoted(db: Db): Promise<boolean> {
  const rows = await query(db, 'select 1 from follower where silent_since is not null');
  return rows.length > 0;
}

/** Takes note that no endpoint answers this process, unless that is known. */
export async function noteSilence(db: Db): Promise<void> {
  await query(
    db,
    'update follower set silent_since = now() where silent_since is null or silent_since > now()',
  );
}

/** Takes note that an endpoint answers this process. */
export async function endSilence(db: Db): Promise<void> {
  await query(db, 'update follower set silent_since = null');
}
