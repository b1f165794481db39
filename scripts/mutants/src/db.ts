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
  {
    name: 'an idempotency key that is cleaned up without a verdict',
    file: 'src/db/idempotency.ts',
    find: '(r.intent_number is null or i.final_at < now()',
    replace: '(r.intent_number is null or i.final_at is null or i.final_at < now()',
    suites: ['test/db/idempotency.test.ts'],
  },
  {
    name: 'another request answered under a key that was used',
    file: 'src/db/idempotency.ts',
    find: 'if (record.requestHash.equals(request.requestHash)) return record.answer;',
    replace: 'return record.answer;',
    suites: ['test/db/idempotency.test.ts'],
  },
  {
    name: 'one key for both environments',
    file: 'src/db/idempotency.ts',
    find: 'join idempotency_records r using (account_id, environment, key)',
    replace: 'join idempotency_records r using (account_id, key)',
    suites: ['test/db/idempotency.test.ts'],
  },
  {
    name: 'a key that two replicas find free',
    file: 'src/db/lock-account.ts',
    find: "await query(tx, 'select 1 from accounts where id = :accountId for no key update', { accountId });",
    replace: 'await Promise.resolve({ tx, accountId, query });',
    suites: ['test/db/idempotency.test.ts'],
  },
  {
    name: 'a frozen process that keeps its locks',
    file: 'src/db/connection.ts',
    find: 'const MAX_IDLE_MS = 5_000;',
    replace: 'const MAX_IDLE_MS = 0;',
    suites: ['test/engine/database-crash.test.ts'],
  },
  {
    name: 'a prepared statement that is there already met by each query of a connection',
    file: 'src/db/connection.ts',
    find: "'26000', '42P05'",
    replace: "'26000'",
    suites: ['test/db/prepared.test.ts'],
  },
  {
    name: 'a database of a newer version accepted',
    file: 'src/db/migrate.ts',
    find: 'if (foreign) {',
    replace: 'if (false) {',
    suites: ['test/db/migrate.test.ts'],
  },
  {
    name: 'a balance above its grant',
    file: 'src/db/migrations/003-features.ts',
    find: 'else held + committed <= granted end',
    replace: 'else held + committed >= 0 end',
    suites: ['test/db/constraints.test.ts'],
  },
  {
    name: 'a server without an identity for any error',
    file: 'src/db/migrations/004-lost-commits.ts',
    find: 'when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then',
    replace: 'when others then',
    suites: ['test/engine/lost-commits.test.ts'],
  },
  {
    name: 'lanes of a database that was on another server before its upgrade taken to have all their bytes',
    file: 'src/db/migrations/004-lost-commits.ts',
    find: '    update lanes set lost_uncounted = true where not buried and (select unsure_up_to > 0 from server);\n',
    replace: '',
    suites: ['test/db/migrate.test.ts'],
  },
];
