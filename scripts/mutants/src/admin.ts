import type { Mutant } from '../mutant.ts';

export const admin: readonly Mutant[] = [
  {
    name: 'a suspended account that signs in',
    file: 'src/features/accounts/sign-in.ts',
    find: 'if (found.isSuspended) throw accountSuspended();',
    replace: '',
    suites: ['test/features/suspension.test.ts'],
  },
  {
    name: 'a suspended account whose credentials work',
    file: 'src/features/keys/service.ts',
    find: 'return isSuspended ? accountSuspended() : credential;',
    replace: 'return isSuspended && !credential ? accountSuspended() : credential;',
    suites: ['test/features/suspension.test.ts', 'test/features/every-operation.test.ts'],
  },
  {
    name: 'a new password that leaves sessions alive',
    file: 'src/features/accounts/administration.ts',
    find: 'await ports.endAllSessions(tx, account.id);',
    replace: '',
    suites: ['test/admin/accounts.test.ts'],
  },
  {
    name: 'a better plan that waits for the next month',
    file: 'src/features/accounts/administration.ts',
    find: 'await ports.applyPlan(tx, account.id);',
    replace: '',
    suites: ['test/admin/accounts.test.ts'],
  },
  {
    name: 'a gap accepted without being asked for',
    file: 'src/admin/intents.ts',
    find: 'if (!acceptsGap) {',
    replace: 'if (false) {',
    suites: ['test/admin/accounts.test.ts'],
  },
  {
    name: 'a token given away that belongs to somebody else',
    file: 'src/admin/operator.ts',
    find: 'if (!operatorsOf(chain).includes(before)) {',
    replace: 'if (false) {',
    suites: ['test/admin/chain.test.ts'],
  },
  {
    name: 'a signer revoked before its transactions are final',
    file: 'src/admin/rotate.ts',
    find: 'return !lane || lane.open + lane.mined + lane.contracts === 0;',
    replace: 'return true;',
    suites: ['test/admin/chain.test.ts'],
  },
  {
    name: 'a working signer buried while nobody holds its lane for a moment',
    file: 'src/admin/bury.ts',
    find: 'if (await isLaneInUse(db, signer)) throw new Error(LANE_IS_HELD);',
    replace: 'void isLaneInUse;',
    suites: ['test/admin/bury.test.ts'],
  },
  {
    name: 'a lane that an admin transaction does not borrow',
    file: 'src/engine/lane/rotate-signer.ts',
    find: 'least = result.nonce + 1n;',
    replace: '',
    suites: ['test/engine/lane-lease.test.ts'],
  },
  {
    name: 'an error of the database with its statement',
    file: 'src/admin/database-error.ts',
    find: `const own = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');`,
    replace: 'const own = message;',
    suites: ['test/admin/database-error.test.ts'],
  },
];
