import type { Migration } from '../migration.ts';

/** A signer on its way out: its lane confirms what it sent, and sends nothing more. */
export const retiringLanes: Migration = {
  name: '002-retiring-lanes',
  up: 'alter table lanes add column retiring boolean not null default false',
};
