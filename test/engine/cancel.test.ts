import { expect, test } from '@jest/globals';
import { cancelIntent } from '../../src/engine/accept/cancel.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createDeadlock } from '../setup/deadlock.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(3);

test('a cancel that a deadlock ended is done again', async () => {
  const accountId = await insertAccount(db);
  const { id } = await queueIntent(db, `0x${'c0'.repeat(20)}`);
  let tries = 0;
  // Where the features lock what the account has.
  const settled = async (): Promise<void> => {
    tries += 1;
    if (tries === 1) throw createDeadlock();
  };
  const owner = { accountId, environment: 'live' } as const;
  const cancelled = await cancelIntent({ db, followUps: { settled } }, owner, id, {
    idempotency: null,
    origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
  });
  expect(cancelled.status).toBe('cancelled');
  expect(tries).toBe(2);
});
