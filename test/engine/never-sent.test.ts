import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { failNeverSent } from '../../src/engine/settle/verdict.ts';
import { insertTransaction, turnIntoNoops } from '../../src/engine/store/insert-transaction.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { requeueMembers, unchanged } from '../../src/engine/store/requeue.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertAccount } from '../setup/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const CONTRACT = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contract_lanes restart identity cascade');
  await insertAccount(db);
});

const find = () => findNeverSent(db, { holder: 'one', otherHolderMs: 0, limit: 10 });
const fail = (numbers: readonly bigint[]) =>
  failNeverSent(
    { db, effects: { settled: async () => undefined }, log: createLogger('silent') },
    numbers.map((number) => ({
      number,
      error: { code: 'CHAIN_ERROR', message: 'out of reach' },
      transactionHash: null,
    })),
  );
const statuses = () => query(db, 'select status from intents order by number');

test('what was never sent fails', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  expect(await find()).toEqual([number]);
  await fail([number]);
  expect(await statuses()).toEqual([{ status: 'failed' }]);
});

test('what another process has sent meanwhile, and put back, does not fail: its bytes can still be mined', async () => {
  const key = await insertLane(db, SIGNER, { isHeld: false });
  const { number } = await queueIntent(db, CONTRACT);
  const other = await queueIntent(db, CONTRACT);
  const found = await find();
  const draft = createDraft(CONTRACT, [number], { attempt: createAttempt(`0x${'11'.repeat(32)}`) });
  const { id } = await insertTransaction(db, key, draft);
  const noop = createAttempt(`0x${'22'.repeat(32)}`, 2n);
  await turnIntoNoops(db, key, [{ id: id!, gasLimit: 21_000n, expectedFee: 0n, attempt: noop }]);
  await db.transaction((tx) => requeueMembers(tx, [unchanged(number)]));
  await fail(found);
  expect(found).toEqual([number, other.number]);
  expect(await statuses()).toEqual([{ status: 'queued' }, { status: 'failed' }]);
});
