import type { Mutant } from '../mutant.ts';

export const start: readonly Mutant[] = [
  {
    name: 'the first signer as admin on every chain',
    file: 'src/start/chain.ts',
    find: 'if (LOCAL_CHAINS.includes(chainId) && first)',
    replace: 'if (first)',
    suites: ['test/start/operator-admin.test.ts'],
  },
  {
    name: 'batches of any size, whatever the profile of the chain says',
    file: 'src/start/chain.ts',
    find: 'rpc.limitBatches(profile.maxBatchCalls);',
    replace: '',
    suites: ['test/start/chain-profile.test.ts'],
  },
  {
    name: 'ready while no signer can pay',
    file: 'src/start/readiness.ts',
    find: 'if (backlog && !backlog.funded)',
    replace: 'if (false)',
    suites: ['test/start/readiness.test.ts'],
  },
  {
    name: 'ready while the chain is another one',
    file: 'src/start/readiness.ts',
    find: 'else if (BigInt(answered) !== chain.chainId)',
    replace: 'else if (false)',
    suites: ['test/start/readiness.test.ts'],
  },
  {
    name: 'a key of webhooks that others on the machine may read',
    file: 'src/start/webhook-keys.ts',
    find: 'mode: 0o600',
    replace: 'mode: 0o644',
    suites: ['test/start/webhook-keys.test.ts'],
  },
  {
    name: 'a new key of webhooks at each start',
    file: 'src/start/webhook-keys.ts',
    find: "flag: 'wx', mode",
    replace: "flag: 'w', mode",
    suites: ['test/start/webhook-keys.test.ts'],
  },
  {
    name: 'a restored backup that starts beside what the chain knows',
    file: 'src/start/chain.ts',
    find: 'await checkIntentNumbers(db, rpc, system.operator);',
    replace: '',
    suites: ['test/engine/restored-backup.test.ts'],
  },
  {
    name: 'clean-up that forgets login attempts',
    file: 'src/start/jobs.ts',
    find: `  deleteOldRecords,
  deleteOldAttempts,
  deleteOldDeliveries,`,
    replace: `  deleteOldRecords,
  deleteOldDeliveries,`,
    suites: ['test/db/clean-up.test.ts'],
  },
];
