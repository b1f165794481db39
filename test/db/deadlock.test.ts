import { expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import { retryOnDeadlock } from '../../src/db/deadlock.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';

test('a transaction that a deadlock ended is done again, and the other one ends as well', async () => {
  await using database = await createTestDatabase();
  await using db = createDb(database.url, 2);
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select gen_random_uuid(), email, '-' from unnest(array['a', 'b']) as email`,
  );
  const firstLocks = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let attempts = 0;
  const lockBoth = (emails: readonly [string, string], own: 0 | 1): Promise<void> =>
    retryOnDeadlock(() =>
      db.transaction(async (tx) => {
        attempts += 1;
        const lock = 'select 1 from accounts where email = :email for update';
        await query(tx, lock, { email: emails[0] });
        firstLocks[own].resolve();
        await firstLocks[1 - own]!.promise;
        await query(tx, lock, { email: emails[1] });
      }),
    );
  await Promise.all([lockBoth(['a', 'b'], 0), lockBoth(['b', 'a'], 1)]);
  // Once more at least: on a busy machine the two may meet again.
  expect(attempts).toBeGreaterThan(2);
});

test('another error ends it', async () => {
  let attempts = 0;
  const fail = retryOnDeadlock(async () => {
    attempts += 1;
    throw new Error('no');
  });
  await expect(fail).rejects.toThrow('no');
  expect(attempts).toBe(1);
});

test.each([
  ['is over before the last try', 4, 'done'],
  ['never ends', 5, 'deadlock detected'],
])('one that %s', async (_name, deadlocks, outcome) => {
  let attempts = 0;
  const run = retryOnDeadlock(async () => {
    attempts += 1;
    if (attempts <= deadlocks) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    return 'done';
  });
  expect(await run.catch((error: Error) => error.message)).toBe(outcome);
  expect(attempts).toBe(5);
});
