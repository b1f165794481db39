import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';

/** What acceptance has to know of the accounts that ask. */
export interface LockedAccounts {
  /** Those with webhooks. */
  watched: ReadonlySet<string>;
  /** Whether any signer can pay for gas. */
  funded: boolean;
}

/**
 * Lets one replica at a time accept for these accounts: a key that another one is accepting is either seen afterwards or
 * waited for here, so two racers can never both find it free.
 */
export async function lockAccounts(tx: Tx, accountIds: readonly string[]): Promise<LockedAccounts> {
  const rows = await query<{ id: string; is_watched: boolean; funded: boolean }>(
    tx,
    `select id, is_watched, (select coalesce(bool_or(funded), true) from lanes where not retiring) as funded
       from accounts where id = any(:accountIds::uuid[]) order by id for no key update`,
    { accountIds: [...new Set(accountIds)].sort() },
  );
  return {
    watched: new Set(rows.flatMap(({ id, is_watched }) => (is_watched ? [id] : []))),
    funded: rows[0]?.funded ?? false,
  };
}
