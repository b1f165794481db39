import type { Mutant } from '../../mutant.ts';

export const accept: readonly Mutant[] = [
  {
    name: 'two requests under one key in one group',
    file: 'src/engine/accept/replay.ts',
    find: 'if (names.has(name)) return false;',
    replace: '',
    suites: ['test/features/idempotency.test.ts'],
  },
  {
    name: 'another request answered as a replay',
    file: 'src/engine/accept/replay.ts',
    find: 'return recordedHash.equals(request.idempotency!.requestHash) ?',
    replace: 'return recordedHash ?',
    suites: ['test/features/idempotency.test.ts'],
  },
  {
    name: 'a request answered with the refusal of another one under its key',
    file: 'src/engine/accept/replay.ts',
    find: 'return requestHash.equals(request.idempotency!.requestHash) ? outcome : null;',
    replace: 'return outcome;',
    suites: ['test/engine/shared-keys.test.ts'],
  },
  {
    name: 'a retry answered as the other request under its key',
    file: 'src/engine/accept/replay.ts',
    find: '    requests.flatMap((request) => {',
    replace: '    keyed.flatMap((request) => {',
    suites: ['test/engine/shared-keys.test.ts'],
  },
  {
    name: 'keys that accounts share',
    file: 'src/engine/accept/replay.ts',
    find: 'idempotency && `${accountId} ${environment} ${idempotency.key}`',
    replace: 'idempotency && `${accountId && ""} ${environment} ${idempotency.key}`',
    suites: ['test/features/idempotency.test.ts'],
  },
  {
    name: 'writes accepted while no signer can pay',
    file: 'src/engine/accept/accept.ts',
    find: 'if (!accounts.funded) refuseUnpaid',
    replace: 'if (false) refuseUnpaid',
    suites: ['test/features/deploy-unavailable.test.ts'],
  },
  {
    name: 'no look after a lost notice',
    file: 'src/engine/accept/waiters.ts',
    find: 'lookSafely([...waiting.keys()])',
    replace: 'undefined',
    suites: ['test/engine/lost-notices.test.ts'],
  },
  {
    name: 'a stopping service that answers nobody who waits',
    file: 'src/engine/accept/waiters.ts',
    find: 'for (const wakers of waiting.values()) for (const wake of wakers) wake(null);',
    replace: '',
    suites: ['test/engine/graceful-stop.test.ts'],
  },
  {
    name: 'a cancel that gives nothing back',
    file: 'src/engine/accept/cancel.ts',
    find: "await applyVerdicts(tx, effects, [{ intent: cancelled, outcome: 'cancelled', notifyAccount: false }]);",
    replace: 'await Promise.resolve({ applyVerdicts, effects });',
    suites: ['test/features/intent-list.test.ts'],
  },
  {
    name: 'a cancel under a key of another request',
    file: 'src/engine/accept/cancel.ts',
    find: 'if (record && !record.requestHash.equals(requestHash)) throw keyReused();',
    replace: '',
    suites: ['test/features/intent-list.test.ts'],
  },
];
