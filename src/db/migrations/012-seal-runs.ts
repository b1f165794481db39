import type { Migration } from '../migration.ts';

/**
 * A row of seals holds those of several entries, so that a mint writes next to nothing for its own. A row of before is a run of
 * one entry: none is copied or changed, and what they prove stays.
 *
 * It belongs to the first release, so that no release before it has to run beside: processes of older commits refuse.
 */
export const sealRuns: Migration = {
  name: '012-seal-runs',
  needs: '012-seal-runs',
  steps: [
    {
      table: 'audit_seals',
      sql: `
        alter table audit_seals rename column number to first;
        alter table audit_seals rename column hash to hashes;
        alter table audit_seals
          drop constraint audit_seals_hash_check,
          -- Of the entry \`first\` and of those whose numbers follow it without a gap: 32 bytes each, of 40 entries at most. So a row
          -- takes 1.3 kB, and stays below the 2 kB from which PostgreSQL moves a value into another table (TOAST).
          add constraint audit_seals_hashes_check
            check (octet_length(hashes) between 32 and 1280 and octet_length(hashes) % 32 = 0) not valid;`,
    },
    { table: 'audit_seals', validate: 'audit_seals_hashes_check' },
  ],
};
