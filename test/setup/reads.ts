import type { Tx } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';

/** How many rows of a table this transaction has read so far. */
export async function readsOf(tx: Tx, table: string): Promise<number> {
  const [row] = await query<{ reads: number }>(
    tx,
    `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as reads
       from pg_stat_xact_user_tables where relname = :table`,
    { table },
  );
  return row!.reads;
}
