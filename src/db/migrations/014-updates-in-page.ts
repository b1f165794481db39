import type { Migration } from '../migration.ts';

/**
 * Two versions of an intent's row find room on one page: the submitted one beside the queued one, and the confirmed one once
 * that is pruned, which takes the end of every transaction that is older than its update. So the write-ahead log has what
 * changes instead of whole rows. The statements that change the phase name it: a row trigger before an update locks the row
 * first, which is a record of 54 bytes for each (`GetTupleForTrigger` of PostgreSQL). Inserts keep theirs.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const updatesInPage: Migration = {
  name: '014-updates-in-page',
  needs: '014-updates-in-page',
  steps: [
    {
      table: 'intents',
      sql: `
        drop trigger intents_phase on intents;
        create trigger intents_phase before insert on intents for each row
          when (new.phase is null) execute function set_phase();
        alter table intents enable always trigger intents_phase;`,
    },
    { table: 'intents', sql: `alter table intents set (fillfactor = 40)` },
  ],
};
