import type { Migration } from '../migration.ts';

/** By which the brakes of a day are counted that passed beyond its gas: they hold nothing. No other row is in it. */
export const brakes: Migration = {
  name: '021-brakes',
  steps: [
    {
      index: 'intents_brakes',
      sql: `create index concurrently intents_brakes on intents (account_id, created_at)
              where not in_ledger and target is not null
                and kind in ('pause', 'lock_transfers', 'freeze', 'close_mint', 'set_mint_limit')`,
    },
  ],
};
