import type { Migration } from '../migration.ts';

/** What lanes know of bytes that the database may lack. */
export const lostCommits: Migration = {
  name: '004-lost-commits',
  up: `
    -- Bytes of the signer may exist that this database lacks, up to a nonce that the chain was not asked for yet.
    alter table lanes add column lost_uncounted boolean not null default false;
    update lanes set lost_uncounted = true where not buried and (select unsure_up_to > 0 from server);
  `,
};
