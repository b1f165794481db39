import type { Migration } from '../../src/db/migration.ts';

/** What a next release may expand: a migration of each kind, on the largest table. */
export const nextRelease: readonly Migration[] = [
  {
    name: '900-next-release',
    table: 'intents',
    sql: `alter table intents add column priority smallint not null default 0, add column note text`,
  },
  {
    name: '901-priority-limits',
    table: 'intents',
    sql: `alter table intents add constraint intents_priority check (priority between 0 and 9) not valid`,
  },
  { name: '902-priority-checked', validate: 'intents_priority', table: 'intents' },
  {
    name: '903-by-priority',
    index: 'intents_by_priority',
    sql: `create index concurrently intents_by_priority on intents (account_id, priority)`,
  },
  { name: '904-notes', backfill: 'intents', key: 'number', set: 'note = kind', where: 'note is null' },
  {
    name: '905-labels',
    table: 'intents',
    sql: `create table intent_labels (
            intent_number bigint primary key references intents,
            label text not null
          )`,
  },
  {
    name: '906-last-intents',
    table: 'tokens',
    sql: `alter table tokens add column last_intent bigint,
            add constraint tokens_last_intent check (last_intent > 0) not valid`,
  },
];
