import type { Mutant } from '../../mutant.ts';

const SUITES = ['test/features/metering.test.ts'];
const GAS = ['test/features/gas.test.ts'];
const CHARGES = ['test/features/gas-charges.test.ts'];

export const metering: readonly Mutant[] = [
  {
    name: 'one mint beyond the plan',
    file: 'src/features/metering/intents.ts',
    find: 'if (used > limit) return exceeded',
    replace: 'if (used > limit + 1) return exceeded',
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
    file: 'src/features/metering/periods.ts',
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
  {
    name: 'gas of a failure that its units bring along, though they are given back',
    file: 'src/features/metering/gas.ts',
    find: '(gas?.exact() ?? 0)',
    replace: 'Math.max(0, (gas?.exact() ?? 0) - unitsOf(intent) * GAS_PER_UNIT)',
    suites: CHARGES,
  },
  {
    name: 'gas of a first try that is given back, since the second one failed unsent',
    file: 'src/features/metering/gas.ts',
    find: 'return intent.burntGas + ',
    replace: 'return ',
    suites: CHARGES,
  },
  {
    name: 'gas that is held, and given back whatever was used',
    file: 'src/features/metering/intents.ts',
    find: 'await insertCharges(tx, charges);',
    replace: 'await insertCharges(tx, []);',
    suites: GAS,
  },
  {
    name: 'gas of a mint beyond its own that nobody asks for',
    file: 'src/features/metering/gas.ts',
    find: 'Math.max(0, gas.exact() - own)',
    replace: 'held && Math.max(0, gas.exact() - own)',
    suites: CHARGES,
  },
  {
    name: 'mints that fail on the chain without end',
    file: 'src/features/metering/intents.ts',
    find: '...(gas === null ? [] :',
    replace: '...(!gas ? [] :',
    suites: GAS,
  },
  {
    name: 'gas that is charged, and stays when a reorg took its verdict back',
    file: 'src/features/metering/intents.ts',
    find: '...(await findRefunds(tx, numbers))',
    replace: '...(await findRefunds(tx, []))',
    suites: ['test/engine/gas-of-verdicts.test.ts'],
  },
  {
    name: 'gas of a day in the time zone of the session',
    file: 'src/features/metering/periods.ts',
    find: "const DAY = `(now() at time zone 'utc')::date`;",
    replace: 'const DAY = `now()::date`;',
    suites: GAS,
  },
];
