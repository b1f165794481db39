import type { Migration } from '../migration.ts';

/** Messages to webhooks are counted in the row that they are about, so that a receiver can tell the later of two. */
export const messageSequence: Migration = {
  name: '022-message-sequence',
  steps: [
    {
      table: 'intents',
      // How often its verdict changed.
      sql: `alter table intents add column sequence integer not null default 0`,
    },
    {
      table: 'accounts',
      // How often its wallet changed.
      sql: `alter table accounts add column wallet_sequence integer not null default 0`,
    },
  ],
};
