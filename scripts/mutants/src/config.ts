import type { Mutant } from '../mutant.ts';

const SUITES = ['test/config.test.ts'];

export const config: readonly Mutant[] = [
  {
    name: 'CRASH_AT accepted in production',
    file: 'src/config.ts',
    find: `if (text(env, 'NODE_ENV') === 'production') {`,
    replace: `if (text(env, 'NODE_ENV') === 'staging') {`,
    suites: SUITES,
  },
  {
    name: 'a private key of zero accepted',
    file: 'src/config.ts',
    find: 'computeAddress(key);',
    replace: '',
    suites: SUITES,
  },
];
