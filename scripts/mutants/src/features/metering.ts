import type { Mutant } from '../../mutant.ts';

const SUITES = ['test/features/metering.test.ts'];

export const metering: readonly Mutant[] = [
  {
    name: 'one mint beyond the plan',
    file: 'src/features/metering/intents.ts',
    find: 'if (used > limit) return quotaExceeded',
    replace: 'if (used > limit + 1) return quotaExceeded',
    suites: SUITES,
  },
  {
    name: 'claims of one group that do not see each other',
    file: 'src/features/metering/intents.ts',
    find: 'Number(balance.used) + balance.taken + claim.amount',
    replace: 'Number(balance.used) + claim.amount',
    suites: SUITES,
  },
  {
    name: 'a hold spent at the first confirmation',
    file: 'src/features/metering/intents.ts',
    find: 'confirmed: null,',
    replace: "confirmed: 'commit',",
    suites: ['test/features/metering.test.ts', 'test/engine/reorg.test.ts'],
  },
  {
    name: 'a failure that costs',
    file: 'src/features/metering/intents.ts',
    find: "failed: 'release',",
    replace: "failed: 'commit',",
    suites: ['test/features/tokens.test.ts', 'test/features/metering.test.ts'],
  },
  {
    name: 'a hold that stays beside what was spent',
    file: 'src/features/metering/intents.ts',
    find: 'commit: { held: -1, committed: 1 },',
    replace: 'commit: { held: 0, committed: 1 },',
    suites: SUITES,
  },
  {
    name: 'a failure that became an effect, and costs nothing',
    file: 'src/features/metering/intents.ts',
    find: "outcome === 'reopened'",
    replace: "outcome === 'retracted'",
    suites: ['test/engine/deep-reorg.test.ts'],
  },
  {
    name: 'a month in the time zone of the session',
    file: 'src/features/metering/store.ts',
    find: "date_trunc('month', now() at time zone 'utc')::date",
    replace: "date_trunc('month', now())::date",
    suites: SUITES,
  },
  {
    name: 'a remainder below zero after a downgrade',
    file: 'src/features/metering/service.ts',
    find: 'Math.max(0, limit - usage.used)',
    replace: 'limit - usage.used',
    suites: ['test/features/metering.test.ts', 'test/admin/accounts.test.ts'],
  },
  {
    name: 'a period that ends on its last day',
    file: 'src/features/metering/store.ts',
    find: "(p.period + interval '1 month')::timestamp",
    replace: "(p.period + interval '30 days')::timestamp",
    suites: SUITES,
  },
  {
    name: 'prices of the test network on the main one',
    file: 'src/features/metering/service.ts',
    find: 'prices: CREDIT_PRICES[network],',
    replace: "prices: CREDIT_PRICES[network && 'test'],",
    suites: ['test/features/credits.test.ts'],
  },
];
