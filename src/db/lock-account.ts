import { query } from './client.ts';
import type { Tx } from './client.ts';

/** Holds the account's row until the end of the transaction: one acceptance or change of its things at a time, on any replica. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await query(tx, 'select 1 from accounts where id = :accountId for no key update', { accountId });
}
