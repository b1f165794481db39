import type { Migration } from '../migration.ts';

/** How long a lease was given for, and whether anybody reaches the chain. */
export const leases: Migration = {
  name: '019-leases',
  steps: [
    {
      table: 'lanes',
      sql: `
        alter table lanes
          -- The length of the lease in milliseconds. One that ends later than in twice of it was given before the clock was
          -- set back, and has ended.
          add column lease_ms integer not null default 5000;`,
    },
    {
      table: 'follower',
      sql: `
        alter table follower
          add column lease_ms integer not null default 5000,
          -- Since when no endpoint answers any process, as the first found that gave its leases up; null while one does.
          add column silent_since timestamptz;`,
    },
  ],
};
