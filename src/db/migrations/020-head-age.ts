import type { Migration } from '../migration.ts';

/** When the head became what it is: a node that answers, and shows no new block, is told from one that nobody reads. */
export const headAge: Migration = {
  name: '020-head-age',
  needs: '020-head-age',
  steps: [{ table: 'follower', sql: 'alter table follower add column head_at timestamptz' }],
};
