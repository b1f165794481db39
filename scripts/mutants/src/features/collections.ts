import type { Mutant } from '../../mutant.ts';

const FILE = 'src/features/collections/measure-batch.ts';
const SUITES = ['test/features/batch-size.test.ts'];

export const collections: readonly Mutant[] = [
  {
    name: 'batches of an account measured side by side',
    file: FILE,
    find: 'return inTurn(owner.accountId, () => engine.measure({ target: contract, data }));',
    replace: 'void inTurn; return engine.measure({ target: contract, data });',
    suites: SUITES,
  },
  {
    name: 'a batch measured that has no credits',
    file: FILE,
    find: 'await requireCredits(owner.accountId, price);',
    replace: 'void [requireCredits, price];',
    suites: SUITES,
  },
  {
    name: 'a repeated batch measured again',
    file: FILE,
    find: '.length > 0) return null;',
    replace: '.length > 1) return null;',
    suites: SUITES,
  },
];
