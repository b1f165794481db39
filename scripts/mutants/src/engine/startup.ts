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
    find: 'if (await isShallow(db, { rpc, profile }, cursor.final)) return;',
    replace: 'return;',
    suites: SUITES,
  },
  {
    name: 'a reorg of any depth undone without a person',
    file: 'src/chain/follower/ancestor.ts',
    find: 'return 10n * BigInt',
    replace: 'return 1_000n * BigInt',
    suites: SUITES,
  },
  {
    name: 'a gap of intent numbers unseen',
    file: 'src/engine/startup/intent-numbers.ts',
    find: 'if (done === null || done <= (await readNewestNumber(db))) return;',
    replace: 'return;',
    suites: ['test/engine/restored-backup.test.ts'],
  },
  {
    name: 'an epoch learnt that a reorg may take back',
    file: 'src/engine/startup/intent-numbers.ts',
    find: 'const answer = await askEpoch(rpc, operator, { blockHash });',
    replace: "const answer = await askEpoch(rpc, operator, (void blockHash, 'latest'));",
    suites: ['test/engine/operator-epoch.test.ts'],
  },
  {
    name: 'what lost bytes may do cancelled after a gap was accepted',
    file: 'src/engine/startup/intent-numbers.ts',
    find: '  await markAllFoundDone(db);\n',
    replace: '  void markAllFoundDone;\n',
    suites: ['test/engine/accept-gap.test.ts'],
  },
];
