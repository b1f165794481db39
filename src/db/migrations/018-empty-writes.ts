import type { Migration } from '../migration.ts';

/**
 * Writes that sent nothing go a day after their verdict: what finds them, and up to which number one may be missing. The phase is
 * written so that the planner does not take the index for lists of what is cancelled, which have another order.
 */
export const emptyWrites: Migration = {
  name: '018-empty-writes',
  needs: '018-empty-writes',
  steps: [
    { table: 'server', sql: 'alter table server add column emptied_up_to bigint not null default 0' },
    {
      index: 'intents_empty',
      sql: `create index concurrently intents_empty on intents (final_at)
              where environment = 'live' and (target is null or phase || '' = 'cancelled')`,
    },
  ],
};
