import type { Mutant } from '../../mutant.ts';

const FILE = 'src/engine/startup/chain-identity.ts';
const SUITES = ['test/engine/chain-identity.test.ts'];

export const startup: readonly Mutant[] = [
  {
    name: 'a database of another chain accepted',
    file: FILE,
    find: 'if (known.chainId !== chainId) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'a database of another genesis accepted',
    file: FILE,
    find: 'if (known.genesisHash !== genesisHash) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'a database of another Operator accepted',
    file: FILE,
    find: 'if (known.operator !== operator) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'a chain that was reset accepted',
    file: FILE,
    find: 'if (final && (await blockHash',
    replace: 'if (!final && (await blockHash',
    suites: SUITES,
  },
  {
    name: 'the first final block taken for the last',
    file: 'src/engine/store/transactions.ts',
    find: "where status = 'final' order by id desc limit 1",
    replace: "where status = 'final' order by id limit 1",
    suites: SUITES,
  },
  {
    name: 'a gap of intent numbers unseen',
    file: 'src/engine/startup/intent-numbers.ts',
    find: 'if (done === null || done <= (await readNewestNumber(db))) return;',
    replace: 'return;',
    suites: ['test/engine/restored-backup.test.ts'],
  },
];
