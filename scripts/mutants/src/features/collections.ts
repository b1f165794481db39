import type { Mutant } from '../../mutant.ts';

const FILE = 'src/features/collections/measure-batch.ts';
const SUITES = ['test/features/batch-size.test.ts'];

export const collections: readonly Mutant[] = [
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
  {
    name: 'a collection of the sandbox that goes before its tokens',
    file: 'src/features/collections/old-sandbox.ts',
    find: '(select t.intent_number from tokens t where t.address = o.contract)',
    replace: '0',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'ids of tokens of the sandbox that begin again',
    file: 'src/features/collections/old-sandbox.ts',
    find: '(select n.intent_number from nfts n where n.contract = o.contract order by n.token_id desc limit 1)',
    replace: '0',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'a collection of the sandbox that goes in parts',
    file: 'src/features/collections/old-sandbox.ts',
    find: 'and j.number not in (select number from old)',
    replace: 'and j.number > o.number',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'writes to the chain that are deleted with the sandbox',
    file: 'src/features/collections/old-sandbox.ts',
    find: "where i.account_id = :accountId and i.environment = 'sandbox' and",
    replace: 'where i.account_id = :accountId and',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'an account that writes to the sandbox for ever',
    file: 'src/features/collections/old-sandbox.ts',
    find: 'randomInt(WRITES_PER_TRIM) === 0',
    replace: 'randomInt(WRITES_PER_TRIM) < 0',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'a clean-up of the sandbox beside a write of the account',
    file: 'src/features/collections/old-sandbox.ts',
    find: 'await lockAccount(tx, id);',
    replace: 'void lockAccount;',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'a clean-up that reads the sandbox of every account',
    file: 'src/features/collections/old-sandbox.ts',
    find: 'coalesce(o.created_at < now() - ${MAX_AGE}, false)',
    replace: 'true',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'a write to a collection that is gone, which fails the writes of others with it',
    file: 'src/features/collections/intents.ts',
    find: '!kept.has(contract)',
    replace: '!kept',
    suites: ['test/features/old-sandbox.test.ts'],
  },
];
