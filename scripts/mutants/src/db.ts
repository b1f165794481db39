import type { Mutant } from '../mutant.ts';

export const db: readonly Mutant[] = [
  {
    name: 'LISTEN never reopened',
    file: 'src/db/notifications.ts',
    find: 'if (closed || lost || !client) return;',
    replace: 'if (closed || lost || client) return;',
    suites: ['test/db/notifications.test.ts'],
  },
  {
    name: 'LISTEN given up when the database is still away',
    file: 'src/db/notifications.ts',
    find: `      reconnect(String(error));
      throw error;`,
    replace: `      lost = true;
      throw error;`,
    suites: ['test/db/notifications.test.ts'],
  },
  {
    name: 'a listening connection that was refused at the start is tried for ever',
    file: 'src/db/notifications.ts',
    find: 'if (closed || lost || !client) return;',
    replace: 'if (closed || lost) return;',
    suites: ['test/db/notifications.test.ts'],
  },
  {
    name: 'an idempotency key that expires without a verdict',
    file: 'src/db/idempotency.ts',
    find: 'case when i.number is null then r.created_at end)',
    replace: 'r.created_at)',
    suites: ['test/db/idempotency.test.ts'],
  },
];
