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
  {
    name: 'a collection of the sandbox that goes before its tokens',
    file: 'src/features/collections/old-sandbox.ts',
    find: '(select t.intent_number from tokens t where t.address = i.contract)',
    replace: '0',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'ids of tokens of the sandbox that begin again',
    file: 'src/features/collections/old-sandbox.ts',
    find: '(select n.intent_number from nfts n where n.contract = i.contract order by n.token_id desc limit 1)',
    replace: '0',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'writes to the chain that are deleted by age',
    file: 'src/features/collections/old-sandbox.ts',
    find: "where i.environment = 'sandbox' and i.created_at <",
    replace: 'where i.created_at <',
    suites: ['test/features/old-sandbox.test.ts'],
  },
  {
    name: 'writes to the chain that are counted with the sandbox',
    file: 'src/features/collections/old-sandbox.ts',
    find: "where k.account_id = a.id and k.environment = 'sandbox' and",
    replace: 'where k.account_id = a.id and',
    suites: ['test/features/old-sandbox.test.ts'],
  },
];
