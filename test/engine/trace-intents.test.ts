import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { traceIntents } from '../../src/engine/index.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const CONTRACT = `0x${'0a'.repeat(20)}` as const;
const { db } = useSuiteDatabase(1);

test('of an account that writes much to the sandbox the newest live intents are found first', async () => {
  const email = 'a@example.com';
  await insertAccount(db, email);
  const live = [await queueIntent(db, CONTRACT), await queueIntent(db, CONTRACT)];
  await query(
    db,
    `insert into intents (number, id, account_id, environment, kind, contract, status, final_at)
     overriding system value
     select nextval('sandbox_intents_number_seq'), gen_random_uuid(), id, 'sandbox', 'mint', :contract, 'confirmed', now()
       from accounts, generate_series(1, 3)`,
    { contract: Buffer.alloc(20, 1) },
  );
  const found = await traceIntents(db, { email }, 3);
  expect(found.map(({ id }) => id).slice(0, 2)).toEqual([live[1]!.id, live[0]!.id]);
  expect(found[2]).toMatchObject({ environment: 'sandbox' });
});
