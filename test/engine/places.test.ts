import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { forgetCounts } from '../../src/engine/store/deep-reorgs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { requeueMembers, unchanged } from '../../src/engine/store/requeue.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

/* Places of intents in transactions. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
});

const send = (numbers: readonly bigint[], nonce = 0n) =>
  insertTransaction(
    db,
    { signer: SIGNER, term: 1n },
    createDraft(CONTRACT, numbers, { nonce, attempt: createAttempt(`0x${'a'.repeat(63)}${nonce}`) }),
  );

test('an intent is in a transaction once', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  expect(await send([number, number])).toEqual({ id: null, left: [] });
  expect(await query(db, 'select intent_number from transaction_intents')).toEqual([]);
  expect((await send([number])).id).not.toBeNull();
});

test.each([
  ['before it', 0n, 1n],
  ['after it', 1n, 0n],
])(
  'what a call burnt counts no more when its block is gone, and that of a no-op %s',
  async (_when, noop, call) => {
    const { number } = await queueIntent(db, CONTRACT, { isControl: true });
    const ids: bigint[] = [];
    for (const nonce of [0n, 1n]) {
      const { id } = await send([number], nonce);
      ids.push(id!);
      if (nonce === noop)
        await query(db, 'update transactions set is_noop = true where id = :id', { id: String(id) });
      const burnt = nonce === call ? { retryStage: 1, burntGas: 70_000 } : {};
      await db.transaction((tx) => requeueMembers(tx, [{ ...unchanged(number), ...burnt }]));
    }
    await db.transaction((tx) => forgetCounts(tx, ids.toReversed()));
    expect(await query(db, 'select retry_stage, burnt_gas from intents')).toEqual([
      { retry_stage: 0, burnt_gas: 0 },
    ]);
  },
);
