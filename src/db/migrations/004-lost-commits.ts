import type { Migration } from '../migration.ts';

/** What lanes know of bytes that the database may lack, and which errors leave a server without an identity. */
export const lostCommits: Migration = {
  name: '004-lost-commits',
  up: `
    -- As in 002, but for errors that say nothing of what the server lets one ask: those fail the statement. Amazon Aurora
    -- refuses functions of the write-ahead log with the last two.
    create or replace function server_identity() returns text language plpgsql as $$
      begin
        return (select system_identifier from pg_control_system()) || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8);
      exception
        when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then
          return 'unknown';
      end
    $$;

    -- Bytes of the signer may exist that this database lacks, up to a nonce that the chain was not asked for yet.
    alter table lanes add column lost_uncounted boolean not null default false;
    update lanes set lost_uncounted = true where not buried and (select unsure_up_to > 0 from server);
  `,
};
