import type { Mutant } from '../../mutant.ts';

const CHAIN = ['test/features/audit-chain.test.ts'];
const RUNS = ['test/features/audit-runs.test.ts'];

export const audit: readonly Mutant[] = [
  {
    name: 'a gap in the audit log passed while its transaction is open',
    file: 'src/features/audit/seal.ts',
    find: 'return oldestOpen >= gap.transaction && now() - gap.since >= GAP_MS;',
    replace: 'return now() - gap.since >= GAP_MS;',
    suites: CHAIN,
  },
  {
    name: 'a gap in the audit log passed at the second look',
    file: 'src/features/audit/seal.ts',
    find: 'return oldestOpen >= gap.transaction && now() - gap.since >= GAP_MS;',
    replace: 'return oldestOpen >= gap.transaction;',
    suites: CHAIN,
  },
  {
    name: 'entries of the audit log that are not chained',
    file: 'src/features/audit/chain.ts',
    find: '.update(before).update(digest)',
    replace: '.update(before.subarray(32)).update(digest)',
    suites: CHAIN,
  },
  {
    name: 'a run of seals across a gap',
    file: 'src/features/audit/chain.ts',
    find: 'run && number === run.first + BigInt(run.hashes.length) && run.hashes.length',
    replace: 'run && run.hashes.length',
    suites: CHAIN,
  },
  {
    name: 'a page of the chain without the run that began before it',
    file: 'src/features/audit/store.ts',
    find: 'where first > :after::bigint - ${MAX_RUN} and',
    replace: 'where first > :after::bigint and',
    suites: CHAIN,
  },
  {
    name: 'an entry with two seals that verifies',
    file: 'src/features/audit/verify.ts',
    find: 'if (seals.has(number))',
    replace: 'if (false)',
    suites: CHAIN,
  },
  {
    name: 'an audit log that is cut short and verifies',
    file: 'src/features/audit/verify.ts',
    find: 'if (last.number !== head.number || !last.hash.equals(head.hash)) {',
    replace: 'if (false) {',
    suites: CHAIN,
  },
  {
    name: 'the audit log of everybody',
    file: 'src/features/audit/store.ts',
    find: '`account_id = :accountId ${filter} and`',
    replace: '`:accountId::uuid is not null ${filter} and`',
    suites: ['test/features/audit.test.ts'],
  },
  {
    name: 'a change of password that is in no audit log',
    file: 'src/features/accounts/change-password.ts',
    find: "await recordAudit(tx, [byAccount('password_changed', accountId, origin, details)]);",
    replace: '',
    suites: ['test/features/audit.test.ts'],
  },
  {
    name: 'a page of the audit log without what stands in rows of later entries',
    file: 'src/features/audit/store.ts',
    find: 'number <= (:before::bigint | ${AUDIT_BLOCK - 1})',
    replace: 'number < :before::bigint',
    suites: RUNS,
  },
  {
    name: 'rows of the audit log read for as many entries as are asked for',
    file: 'src/features/audit/store.ts',
    find: 'where passed < :limit::int + ${2 * AUDIT_BLOCK})',
    replace: 'where passed < :limit::int)',
    suites: RUNS,
  },
  {
    name: 'an entry of the audit log in a row where nobody looks for it',
    file: 'src/features/audit/store.ts',
    find: 'own.number between (r.number & -${AUDIT_BLOCK}::bigint) and r.number',
    replace: 'own.number <= r.number',
    suites: RUNS,
  },
  {
    name: 'an entry that is there twice, cut off at the end of a page',
    file: 'src/features/audit/store.ts',
    find: 'order by number fetch first (:limit::int) rows with ties',
    replace: 'order by number limit :limit::int',
    suites: RUNS,
  },
  {
    name: 'an entry of the audit log that is there twice',
    file: 'src/features/audit/verify.ts',
    find: 'if (digests.has(number)) faults.push(',
    replace: 'if (digests.has(number) && number < 0n) faults.push(',
    suites: RUNS,
  },
];
