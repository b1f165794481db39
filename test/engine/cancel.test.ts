import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { lockAccount } from '../../src/db/lock-account.ts';
import { cancelIntent } from '../../src/engine/accept/cancel.ts';
import { insertAccount } from '../setup/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(3);

test('a cancel that a deadlock ended is done again', async () => {
  const accountId = await insertAccount(db);
  const { id, number } = await queueIntent(db, `0x${'c0'.repeat(20)}`);
  const locked = Promise.withResolvers<void>();
  // In the order of a verdict, which moves the intent and then what its account has.
  const opposite = db.transaction(async (tx) => {
    await query(tx, 'select 1 from intents where number = :number for update', { number: String(number) });
    locked.resolve();
    // Whoever waits longer finds the deadlock, and is ended.
    await sleep(500);
    await lockAccount(tx, accountId);
  });
  await locked.promise;
  const parts = { db, effects: { settled: async () => undefined } };
  const cancelled = await cancelIntent(parts, { accountId, environment: 'live' }, id, null);
  expect(cancelled.status).toBe('cancelled');
  await opposite;
});
