import type { Migration } from '../migration.ts';

/**
 * Old entries of the audit log may go, in the order of their numbers: the chain of hashes then begins after the last that
 * went, and an entry of the chain tells of it. What is behind the beginning is still append-only.
 */
export const auditRetention: Migration = {
  name: '017-audit-retention',
  needs: '017-audit-retention',
  steps: [
    {
      table: 'audit_entries',
      sql: `
        create table audit_start (
          -- One row: the last entry that went, and its hash; the chain goes on from there.
          only_row boolean primary key default true check (only_row),
          number bigint not null,
          hash bytea not null check (octet_length(hash) = 32)
        );
        insert into audit_start (number, hash) values (0, decode(repeat('00', 32), 'hex'));

        create function refuse_audit_deletion() returns trigger language plpgsql as $$
          begin
            if exists (select 1 from gone where number > (select number from audit_start)) then
              raise exception 'the audit log is append-only';
            end if;
            return null;
          end
        $$;
        create function refuse_seal_deletion() returns trigger language plpgsql as $$
          begin
            if exists (select 1 from gone
                        where first + octet_length(hashes) / 32 - 1 > (select number from audit_start)) then
              raise exception 'the audit log is append-only';
            end if;
            return null;
          end
        $$;
        drop trigger audit_entries_append_only on audit_entries;
        create trigger audit_entries_append_only before update or truncate on audit_entries
          for each statement execute function refuse_audit_change();
        create trigger audit_entries_deletion after delete on audit_entries referencing old table as gone
          for each statement execute function refuse_audit_deletion();`,
    },
    {
      table: 'audit_seals',
      sql: `
        drop trigger audit_seals_append_only on audit_seals;
        create trigger audit_seals_append_only before update or truncate on audit_seals
          for each statement execute function refuse_audit_change();
        create trigger audit_seals_deletion after delete on audit_seals referencing old table as gone
          for each statement execute function refuse_seal_deletion();`,
    },
  ],
};
