import type { Mutant } from '../mutant.ts';

const COMMAND = ['test/admin/archive.test.ts'];
const RULES = ['test/engine/archive.test.ts'];
const COMMITS = ['test/engine/known-commits.test.ts'];
const STORE = 'src/engine/store/archive.ts';

/** What is archived, and what of that is deleted. */
export const archive: readonly Mutant[] = [
  {
    name: 'an archived intent taken for lost',
    file: 'src/engine/startup/known-commits.ts',
    find: 'if (idOfNumber !== null || !isArchived(expected.intent.number)) return true;',
    replace: 'return true;',
    suites: COMMITS,
  },
  {
    name: 'an archived failure taken for lost',
    file: 'src/engine/startup/known-commits.ts',
    find: 'if (found.statusOfEnded !== null || !isArchived(expected.ended)) return true;',
    replace: 'return true;',
    suites: [...COMMITS, ...COMMAND],
  },
  {
    name: 'a lost intent taken for archived',
    file: 'src/engine/startup/known-commits.ts',
    find: 'number <= archivedUpTo;',
    replace: 'number <= archivedUpTo + 1n;',
    suites: COMMITS,
  },
  {
    name: 'an archived intent that a control before it has to know of',
    file: STORE,
    find: 'and not ${HAS_UNFINISHED} and not ${HAS_EARLIER_OPEN} as "isFinished"',
    replace: 'and not ${HAS_UNFINISHED} as "isFinished"',
    suites: RULES,
  },
  {
    name: 'an archived intent whose transaction may be mined yet',
    file: STORE,
    find: 'and not ${HAS_UNFINISHED} and',
    replace: 'and',
    suites: RULES,
  },
  {
    name: 'the newest write archived',
    file: STORE,
    find: 'and final_at < :before and number < ${NEWEST}',
    replace: 'and final_at < :before',
    suites: RULES,
  },
  {
    name: 'an archived failure that lost bytes may turn into a success',
    file: STORE,
    find: `and (status = 'confirmed' or not \${mayBeDone('i')})`,
    replace: '',
    suites: RULES,
  },
  {
    name: 'the newest nonce of a signer archived',
    file: STORE,
    find: `and nonce < (select max(n.nonce)`,
    replace: `and nonce <= (select max(n.nonce)`,
    suites: RULES,
  },
  {
    name: 'a deletion of what has changed since it was written',
    file: 'src/admin/archive/remove.ts',
    find: 'now.get(number) === text',
    replace: 'now.has(number)',
    suites: COMMAND,
  },
  {
    name: 'a closing that forgets what was closed before',
    file: 'src/features/metering/closings.ts',
    find: 'set committed = c.committed + excluded.committed,',
    replace: 'set committed = excluded.committed,',
    suites: COMMAND,
  },
  {
    name: 'an archive refused for another one that had its name before',
    file: 'src/admin/archive/archive.ts',
    find: 'if (noted && !noted.isDone && !isNoted)',
    replace: 'if (noted && !isNoted)',
    suites: RULES,
  },
  {
    name: 'an archive of what is new',
    file: 'src/admin/archive/archive.ts',
    find: 'if (before <= latest) return;',
    replace: 'if (latest) return;',
    suites: COMMAND,
  },
  {
    name: 'an archive while a deep reorg is not resolved',
    file: 'src/admin/archive/archive.ts',
    find: 'if (await areVerdictsUnsure(db))',
    replace: 'if (!db)',
    suites: COMMAND,
  },
  {
    name: 'an archive that begins before the one before has ended',
    file: 'src/admin/archive/archive.ts',
    find: 'await removeArchived(db, pending.file, reach);',
    replace: '',
    suites: COMMAND,
  },
  {
    name: 'another file in the place of an archive',
    file: 'src/admin/archive/archive.ts',
    find: 'if (noted && !noted.isDone && !isNoted)',
    replace: 'if (noted && !noted.isDone && !archived.sha256)',
    suites: COMMAND,
  },
  {
    name: 'an archive whose end is not compared with its lines',
    file: 'src/admin/archive/file.ts',
    find: '([name, value]) => end[name as keyof typeof found] !== value',
    replace: '([name]) => end[name as keyof typeof found] === undefined',
    suites: COMMAND,
  },
];
