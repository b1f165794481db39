import type { Migration } from '../migration.ts';

/** A scrape looks at the messages that wait, beside millions that do not. */
export const waitingDeliveries: Migration = {
  name: '005-waiting-deliveries',
  up: `create index webhook_deliveries_waiting on webhook_deliveries (created_at) where status = 'pending'`,
};
