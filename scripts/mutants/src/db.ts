import type { Mutant } from '../mutant.ts';

export const db: readonly Mutant[] = [
  {
    name: 'LISTEN never reopened',
    file: 'src/db/notifications.ts',
    find: 'if (closed || lost) return;',
    replace: 'if (closed || lost || client) return;',
    suites: ['test/engine/database-crash.test.ts'],
  },
  {
    name: 'an idempotency key that expires without a verdict',
    file: 'src/db/idempotency.ts',
    find: 'case when i.number is null then r.created_at end)',
    replace: 'r.created_at)',
    suites: ['test/features/idempotency.test.ts'],
  },
];
