import type { OnlineMigration } from '../../src/db/migration.ts';

/** What a next release may expand: a step of each kind, on the largest table. */
export const nextRelease: OnlineMigration = {
  name: '900-next-release',
  steps: [
    {
      table: 'intents',
      sql: `alter table intents add column priority smallint not null default 0, add column note text`,
    },
    {
      table: 'intents',
      sql: `alter table intents add constraint intents_priority check (priority between 0 and 9) not valid`,
    },
    { validate: 'intents_priority', table: 'intents' },
    {
      index: 'intents_by_priority',
      sql: `create index concurrently intents_by_priority on intents (account_id, priority)`,
    },
    { backfill: 'intents', key: 'number', set: 'note = kind', where: 'note is null' },
    {
      table: 'intents',
      sql: `create table intent_labels (
              intent_number bigint primary key references intents,
              label text not null
            )`,
    },
    {
      table: 'tokens',
      sql: `alter table tokens add column last_intent bigint,
              add constraint tokens_last_intent check (last_intent > 0) not valid`,
    },
  ],
};
