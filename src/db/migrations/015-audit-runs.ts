import type { Migration } from '../migration.ts';

/**
 * Writes that were accepted together, and differ in nothing but their intents, share a row of the audit log: 20 accounts that
 * mint through 100 connections write 0.4 rows a mint instead of one. A row of before is one entry, as are those of other actions.
 * What an entry says, its number and its seal stay the same.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const auditRuns: Migration = {
  name: '015-audit-runs',
  needs: '015-audit-runs',
  steps: [
    {
      table: 'audit_entries',
      sql: `
        alter table audit_entries
          -- Of several entries, in their order: \`number\` and \`intent_id\` are the last ones. All are of one block of 64 numbers, so
          -- that whoever looks for a number knows how far it may be from that of its row; and a row takes about 2 kB
          -- at most, from which on PostgreSQL would move values into another table (TOAST).
          add column numbers bigint[],
          add column intent_ids uuid[],
          -- What is null or has several dimensions does not pass.
          add constraint audit_entries_run_check check ((
            (numbers is null) = (intent_ids is null)
            and (numbers is null or array_ndims(numbers) = 1 and array_ndims(intent_ids) = 1
                 and cardinality(numbers) = cardinality(intent_ids) and cardinality(numbers) between 2 and 64
                 and numbers[cardinality(numbers)] = number and intent_ids[cardinality(intent_ids)] = intent_id
                 and numbers[1] >> 6 = number >> 6)) is true) not valid;`,
    },
    { table: 'audit_entries', validate: 'audit_entries_run_check' },
  ],
};
