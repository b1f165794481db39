import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createFeeReader } from '../../src/engine/lane/funds.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { until } from '../setup/until.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;
const CONFIG = { ...ENGINE_CONFIG, maxFeesPerDay: 1_000_000n };
const { db } = useSuiteDatabase(3);

/** A final transaction whose fee nobody knows. */
beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  const key = await insertLane(db, SIGNER);
  const { number } = await queueIntent(db, CONTRACT);
  await insertTransaction(db, key, createDraft(CONTRACT, [number], { attempt: createAttempt(HASH) }));
  await query(
    db,
    `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :hash`,
    { hash: toBytes(HASH) },
  );
});

test('fees are read beside what else is done, and once at a time: an endpoint that hangs holds up nothing', async () => {
  const { promise: hanging, resolve: answer } = Promise.withResolvers<unknown>();
  let asked = 0;
  const call = async <Result>(): Promise<Result> => {
    asked += 1;
    return (await hanging) as Result;
  };
  const parts = createLaneParts(db, SIGNER, { config: CONFIG, rpc: { call } });
  const read = createFeeReader({ ...parts, key: { signer: SIGNER, term: 1n } });
  // A caller would wait for what is returned.
  expect(read()).toBeUndefined();
  await until(async () => asked > 0);
  read();
  // Questions of the database are answered in turn: a second reading would have asked by then.
  await query(db, 'select pg_sleep(0.2)');
  expect(asked).toBe(1);
  answer({ gasUsed: '0x2', effectiveGasPrice: '0x3' });
  await until(async () => (await query(db, 'select 1 from transactions where fee = 6')).length === 1);
});

test('a reading that fails ends nothing, and the next one goes on', async () => {
  let asked = 0;
  const call = async <Result>(): Promise<Result> => {
    asked += 1;
    if (asked === 1) throw new Error('nonsense');
    return { gasUsed: '0x2', effectiveGasPrice: '0x3' } as Result;
  };
  const parts = createLaneParts(db, SIGNER, { config: CONFIG, rpc: { call } });
  const read = createFeeReader({ ...parts, key: { signer: SIGNER, term: 1n } });
  await until(async () => {
    read();
    return (await query(db, 'select 1 from transactions where fee = 6')).length === 1;
  });
  expect(asked).toBe(2);
});

test('without a limit nothing is asked: what was expected is added up', async () => {
  let asked = 0;
  const call = async <Result>(): Promise<Result> => {
    asked += 1;
    return null as Result;
  };
  const parts = createLaneParts(db, SIGNER, { config: ENGINE_CONFIG, rpc: { call } });
  await query(db, 'update transactions set expected_fee = 7');
  createFeeReader({ ...parts, key: { signer: SIGNER, term: 1n } })();
  await until(async () => (await query(db, 'select 1 from transactions where fee = 7')).length === 1);
  expect(asked).toBe(0);
});
