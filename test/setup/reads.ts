import type { Tx } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';

/**
 * How many rows of a table some work reads in a transaction. PostgreSQL's own count for a transaction has what its
 * connection read shortly before, too.
 */
export async function readsOf(tx: Tx, table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await countReads(tx, table);
  await work();
  return (await countReads(tx, table)) - before;
}

async function countReads(tx: Tx, table: string): Promise<number> {
  const [row] = await query<{ reads: number }>(
    tx,
    `select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as reads
       from pg_stat_xact_user_tables where relname = :table`,
    { table },
  );
  return row!.reads;
}
