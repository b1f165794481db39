import type { Mutant } from '../../mutant.ts';

const SUITES = ['test/engine/lane-epoch.test.ts'];

export const store: readonly Mutant[] = [
  {
    name: 'the epoch unchecked in insertTransaction',
    file: 'src/engine/store/insert-transaction.ts',
    find: 'where signer = :signer and epoch = :epoch and next_nonce = :nonce returning signer',
    replace: 'where signer = :signer and :epoch::bigint > 0 and next_nonce = :nonce returning signer',
    suites: SUITES,
  },
  {
    name: 'the epoch unchecked in insertAttempt',
    file: 'src/engine/store/insert-transaction.ts',
    find: "where t.id = :transactionId and t.status = 'open' and l.signer = :signer and l.epoch = :epoch",
    replace:
      "where t.id = :transactionId and t.status = 'open' and l.signer = :signer and :epoch::bigint > 0",
    suites: SUITES,
  },
  {
    name: 'the epoch unchecked in claimContracts',
    file: 'src/engine/store/contract-lanes.ts',
    find: 'where signer = :signer and epoch = :epoch and not retiring for share',
    replace: 'where signer = :signer and :epoch::bigint > 0 and not retiring for share',
    suites: SUITES,
  },
  {
    name: 'the next nonce unchecked',
    file: 'src/engine/store/insert-transaction.ts',
    find: 'and epoch = :epoch and next_nonce = :nonce returning',
    replace: 'and epoch = :epoch returning',
    suites: SUITES,
  },
  {
    name: 'a transaction without some of its intents',
    file: 'src/engine/store/insert-transaction.ts',
    find: 'if (!row || row.moved !== BigInt(draft.members.length)) throw stale;',
    replace: 'if (!row) throw stale;',
    suites: SUITES,
  },
  {
    name: 'contracts that move while calls are under way',
    file: 'src/engine/store/contract-lanes.ts',
    find: "t.status in ('open', 'mined') and i.contract",
    replace: "t.status in ('open') and i.contract",
    suites: SUITES,
  },
  {
    name: 'a lane that takes contracts while it is retired',
    file: 'src/engine/store/contract-lanes.ts',
    find: 'and epoch = :epoch and not retiring for share',
    replace: 'and epoch = :epoch and not retiring',
    suites: ['test/engine/queue.test.ts'],
  },
  {
    name: 'an outage that fails what a transaction carried before',
    file: 'src/engine/store/queue.ts',
    find: 'where m.intent_number = i.number)',
    replace: 'where m.intent_number = i.number and m.live)',
    suites: SUITES,
  },
  {
    name: 'an outage that fails what another process will send',
    file: 'src/engine/store/queue.ts',
    find: 'where l.lease_until > now() and l.holder <> :holder)',
    replace: 'where l.lease_until > now() and l.holder is null and :holder = :holder)',
    suites: SUITES,
  },
  {
    name: 'contracts of another lane in the queue',
    file: 'src/engine/store/queue.ts',
    find: 'and (l.signer is null or l.signer = :signer)`;',
    replace: '`;',
    suites: ['test/engine/queue.test.ts'],
  },
  {
    name: 'accounts that wait for another lane hide the others',
    file: 'src/engine/store/queue.ts',
    find: 'and exists (select 1 from ${TAKEABLE} and i.account_id = n.account_id) limit :limit',
    replace: 'limit :limit',
    suites: ['test/engine/queue.test.ts'],
  },
  {
    name: 'a cancel of what the chain has done',
    file: 'src/engine/store/verdicts.ts',
    find: "i.status = 'queued' and not i.seen_done returning",
    replace: "i.status = 'queued' returning",
    suites: ['test/engine/restored-backup.test.ts'],
  },
  {
    name: 'a verdict told again when it is final',
    file: 'src/engine/store/verdicts.ts',
    find: "row.is_watched && row.was !== 'confirmed'",
    replace: 'row.is_watched',
    suites: ['test/engine/webhooks.test.ts', 'test/features/webhooks.test.ts'],
  },
  {
    name: 'an intent of another account',
    file: 'src/engine/store/intents.ts',
    find: 'where i.id = :id and i.account_id = :accountId and i.environment = :environment',
    replace: 'where i.id = :id and :accountId::uuid is not null and i.environment = :environment',
    suites: ['test/features/intents.test.ts', 'test/security/matrix.test.ts'],
  },
  {
    name: 'an intent of the other environment',
    file: 'src/engine/store/intents.ts',
    find: 'where i.id = :id and i.account_id = :accountId and i.environment = :environment',
    replace: 'where i.id = :id and i.account_id = :accountId and :environment::text is not null',
    suites: ['test/features/intents.test.ts', 'test/features/sandbox.test.ts'],
  },
];
