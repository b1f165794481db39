import { hasRows, query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { IS_QUEUED } from './queue.ts';
import { mayBeDone } from './epochs.ts';

/**
 * SQL: whether no process has reached the chain for `:outOfReachMs`, as far as the database knows. A time that is still
 * to come is of a clock that was set back since.
 */
const IS_CHAIN_SILENT = `(
          select silent_since <= now() - :outOfReachMs * interval '1 millisecond' from reader) is true`;

/** Whether a process has found no endpoint that answers, and none has found one since. */
export function isSilenceNoted(db: Db): Promise<boolean> {
  return hasRows(db, 'select 1 from reader where silent_since is not null');
}

/** Takes note that no endpoint answers this process, unless that is known. */
export async function noteSilence(db: Db): Promise<void> {
  await query(
    db,
    'update reader set silent_since = now() where silent_since is null or silent_since > now()',
  );
}

/** Takes note that an endpoint answers this process. */
export async function endSilence(db: Db): Promise<void> {
  await query(db, 'update reader set silent_since = null');
}

/** SQL: that an intent was never in a transaction, and nobody reaches the chain to send it. */
const IS_NEVER_SENT = `${IS_QUEUED} and i.sent_in = '{}' and not ${mayBeDone('i')} and ${IS_CHAIN_SILENT}`;

/**
 * Queued intents that were never in a transaction: nothing of them can have reached the chain. None before every
 * process has been without an endpoint for `outOfReachMs`: one that has an endpoint will send them.
 */
export function findNeverSent(
  db: Db,
  { outOfReachMs, limit }: { outOfReachMs: number; limit: number },
): Promise<{ number: bigint; isDeployment: boolean }[]> {
  return query<{ number: bigint; isDeployment: boolean }>(
    db,
    // In the order of numbers, and not by the index that has it: that one has all intents, and begins with the oldest.
    `select i.number, i.target <> i.contract as "isDeployment" from intents i
      where ${IS_NEVER_SENT}
      order by -(-i.number) limit :limit`,
    { outOfReachMs, limit },
  );
}

/**
 * Those of these intents that are never sent still, which stays so until the end of the transaction: since they were
 * found, another process may have reached the chain, or have sent one, and may have put it back when its bytes can
 * still be mined.
 */
export async function lockNeverSent(
  tx: Tx,
  numbers: readonly bigint[],
  outOfReachMs: number,
): Promise<ReadonlySet<bigint>> {
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
    { ...bindings, outOfReachMs },
  );
  return new Set(rows.map(({ number }) => number));
}
