import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { explainQueued } from '../../src/engine/accept/explain-open.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { inspectIntent } from '../../src/engine/store/inspect.ts';
import { insertAccount } from '../setup/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const CONTRACT = `0x${'c0'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, intents cascade');
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: CONTRACT });
  await insertAccount(db);
});

/** Why an intent is queued that was put there so many seconds ago. */
async function explain(seconds: number) {
  const { id } = await queueIntent(db, CONTRACT);
  await query(db, "update intents set updated_at = now() - :seconds * interval '1 second'", { seconds });
  return explainQueued(db, (await inspectIntent(db, id))!, null, null, 16);
}

test('what was queued a moment ago goes with the next transaction', async () => {
  expect(await explain(5)).toMatchObject({
    cause: 'Nothing holds it back: it goes with the next transaction.',
    action: 'Wait a second and look again.',
  });
});

test('of what is queued for longer, the lane may know a cause that is stored nowhere', async () => {
  expect(await explain(15)).toMatchObject({
    cause: expect.stringMatching(/^Nothing that is stored holds it back: .*gas costs more than may be bid/),
    action: expect.stringContaining('"gas costs more than the profile of the chain lets us bid"'),
  });
});
