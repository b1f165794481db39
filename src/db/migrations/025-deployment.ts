import type { Migration } from '../migration.ts';

/** What tells this installation from others whose contracts have the same admin. */
export const deployment: Migration = {
  name: '025-deployment',
  steps: [
    {
      sql: `
        create table deployment (
          only_row boolean primary key default true check (only_row),
          id bytea not null default sha256(uuid_send(gen_random_uuid())) check (octet_length(id) = 32)
        );
        insert into deployment default values;`,
    },
  ],
};
