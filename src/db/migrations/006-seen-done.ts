import type { Migration } from '../migration.ts';

/** Open here, and done on the chain when the service started: of its transaction a restored backup may know nothing. */
export const seenDone: Migration = {
  name: '006-seen-done',
  up: `alter table intents add column seen_done boolean not null default false`,
};
