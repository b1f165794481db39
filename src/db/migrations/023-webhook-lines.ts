import type { Migration } from '../migration.ts';

/**
 * The messages of an account stand in one line, of which the head alone has a job; and each message says when it is deleted, for
 * those of the sandbox live shorter.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const webhookLines: Migration = {
  name: '023-webhook-lines',
  needs: '023-webhook-lines',
  steps: [
    {
      table: 'webhook_deliveries',
      sql: `
        alter table webhook_deliveries
          add column account_id uuid,
          add column expires_at timestamptz not null default now() + interval '30 days',
          add constraint webhook_deliveries_account_check check (account_id is not null) not valid`,
    },
    {
      backfill: 'webhook_deliveries',
      key: 'number',
      set: 'account_id = (select w.account_id from webhooks w where w.id = webhook_id)',
      where: 'account_id is null',
    },
    { table: 'webhook_deliveries', validate: 'webhook_deliveries_account_check' },
    { dropped: 'webhook_deliveries_waiting' },
    {
      index: 'webhook_deliveries_waiting',
      sql: `create index concurrently webhook_deliveries_waiting on webhook_deliveries (account_id, next_attempt_at, number)
        include (created_at) where status = 'pending'`,
    },
    {
      index: 'webhook_deliveries_by_end',
      sql: 'create index concurrently webhook_deliveries_by_end on webhook_deliveries (expires_at)',
    },
    { dropped: 'webhook_deliveries_by_age' },
  ],
};
