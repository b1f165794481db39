import { expect, test } from '@jest/globals';
import { createFailedWrites } from '../../src/db/failed-writes.ts';

function reasonOf(code: string): string | null {
  const writes = createFailedWrites();
  writes.failed('update t', Object.assign(new Error('no'), { code }));
  return writes.reason();
}

test.each([
  ['a full disk', '53100', 'The disk of the database is full.'],
  ['a file that cannot be written', '58030', 'The database cannot read or write its files.'],
  ['a damaged page', 'XX001', 'Data of the database is damaged.'],
  ['a damaged index', 'XX002', 'An index of the database is damaged.'],
])('%s is told until the statement succeeds', (_what, code, reason) => {
  expect(reasonOf(code)).toBe(reason);
});

test.each([
  ['an internal error, such as a row of the catalogue that two sessions change', 'XX000'],
  ['a deadlock', '40P01'],
  ['a constraint', '23505'],
])('%s says nothing of the disk', (_what, code) => {
  expect(reasonOf(code)).toBeNull();
});
