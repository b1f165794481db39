import type { Mutant } from '../mutant.ts';

export const start: readonly Mutant[] = [
  {
    name: 'the first signer as admin on every chain',
    file: 'src/start/chain.ts',
    find: 'if (LOCAL_CHAINS.includes(chainId) && first)',
    replace: 'if (first)',
    suites: ['test/start/operator-admin.test.ts'],
  },
];
