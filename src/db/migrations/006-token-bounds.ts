import type { Migration } from '../migration.ts';

/** What must be known of a token's bounds before its contract is asked. */
export const tokenBounds: Migration = {
  name: '006-token-bounds',
  up: `
    -- Whether holdings can be moved without consent. It never changes, so that the contract need not be asked.
    alter table tokens add column recoverable boolean not null default false;
  `,
};
