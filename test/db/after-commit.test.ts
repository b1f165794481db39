import { beforeEach, expect, test } from '@jest/globals';
import { afterCommit } from '../../src/db/after-commit.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(1);
const called: string[] = [];

beforeEach(() => void called.splice(0));

test('what is to follow a commit follows it', async () => {
  await db.transaction(async (tx) => {
    afterCommit(tx, () => called.push('outer'));
    await tx.transaction(async (part) => afterCommit(part, () => called.push('part')));
    await tx.raw('select 1');
    expect(called).toEqual([]);
  });
  await db.raw('select 1');
  expect(called).toEqual(['outer', 'part']);
});

test('what is to follow a savepoint does not follow its release alone', async () => {
  const failed = db.transaction(async (tx) => {
    await tx.transaction(async (part) => afterCommit(part, () => called.push('part')));
    await tx.raw('select 1');
    throw new Error('refused');
  });
  await expect(failed).rejects.toThrow('refused');
  await db.raw('select 1');
  expect(called).toEqual([]);
});

test('what is to follow a savepoint does not follow a commit without it', async () => {
  await db.transaction(async (tx) => {
    const part = tx.transaction(async (inner) => {
      afterCommit(inner, () => called.push('part'));
      throw new Error('refused');
    });
    await expect(part).rejects.toThrow('refused');
  });
  await db.raw('select 1');
  expect(called).toEqual([]);
});
