import type { Migration } from '../migration.ts';

/** Indexes by which filtered lists find what is rare among much else. None of them has a row of a mint that goes well. */
export const listFilters: Migration = {
  name: '010-list-filters',
  steps: [
    { table: 'credentials', validate: 'credentials_kind_check' },
    { table: 'credentials', validate: 'credentials_check1' },
    { table: 'credentials', validate: 'credentials_session_id_check' },
    {
      // Mints are what there is most of: theirs are found by `intents_by_account`.
      index: 'intents_by_kind',
      sql: `create index concurrently intents_by_kind on intents (account_id, environment, kind, (- number), status, contract)
              where kind <> 'mint'`,
    },
    {
      index: 'audit_entries_by_action',
      sql: `create index concurrently audit_entries_by_action on audit_entries (account_id, action, number desc)
              where account_id is not null and action <> 'write'`,
    },
    {
      index: 'webhook_deliveries_failed',
      sql: `create index concurrently webhook_deliveries_failed on webhook_deliveries (webhook_id, number desc)
              where status = 'failed'`,
    },
  ],
};
