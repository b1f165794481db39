import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { lookForSilence } from '../../src/engine/run/watch-silence.ts';
import { failNeverSent } from '../../src/engine/verdict/verdict.ts';
import { insertTransaction, turnIntoNoops } from '../../src/engine/store/insert-transaction.ts';
import { confirmIntents, failIntents } from '../../src/engine/store/verdicts.ts';
import { findNeverSent } from '../../src/engine/store/silence.ts';
import { requeueMembers, unchanged } from '../../src/engine/store/requeue.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { until } from '../setup/until.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const CONTRACT = `0x${'0a'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const { db } = useSuiteDatabase(3);

const OTHERS = `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
const IN_TRANSACTION = `${OTHERS} and state = 'idle in transaction'`;
const WAITING = `${OTHERS} and wait_event_type = 'Lock'`;

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts restart identity cascade');
  await insertAccount(db);
  await beSilent(11);
});

/** Nobody has reached the chain for so many seconds; null: somebody has since. */
const beSilent = (seconds: number | null) =>
  query(db, `update reader set silent_since = now() - :seconds::int * interval '1 second'`, { seconds });

const find = async () =>
  (await findNeverSent(db, { outOfReachMs: 10_000, limit: 10 })).map(({ number }) => number);
const fail = (numbers: readonly bigint[]) =>
  failNeverSent(
    { db, followUps: { settled: async () => undefined }, log: createLogger('silent') },
    numbers.map((number) => ({
      number,
      error: { code: 'CHAIN_ERROR', message: 'out of reach' },
      transactionHash: null,
    })),
    10_000,
  );
const statuses = () => query(db, 'select status from intents order by number');

test('what was never sent fails', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  expect(await find()).toEqual([number]);
  await fail([number]);
  expect(await statuses()).toEqual([{ status: 'failed' }]);
});

test.each([null, 9, -3_600])(
  'nothing fails while somebody reaches the chain, or did a moment ago, or will have by a clock that was set back: %s',
  async (seconds) => {
    const { number } = await queueIntent(db, CONTRACT);
    await beSilent(seconds);
    expect(await find()).toEqual([]);
    // It may have been found before.
    await fail([number]);
    expect(await statuses()).toEqual([{ status: 'queued' }]);
  },
);

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

test('what was never sent is found without a look at all that is done', async () => {
  await queueIntent(db, CONTRACT);
  let sql = '';
  db.once('query', (asked: { sql: string }) => (sql = asked.sql));
  await find();
  const plan = await query<{ 'QUERY PLAN': string }>(db, `explain (generic_plan) ${sql}`);
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/intents_waiting on intents i/);
});

test('a success that waited for a failure to be written takes it back', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  const failed = Promise.withResolvers<void>();
  const error = { code: 'CHAIN_ERROR', message: 'out of reach' } as const;
  const failing = db.transaction(async (tx) => {
    await failIntents(tx, [{ number, error, transactionHash: null }], ['queued']);
    await failed.promise;
  });
  await until(async () => (await query(db, IN_TRANSACTION)).length > 0);
  const success = { number, result: '0x01', transactionHash: `0x${'33'.repeat(32)}` } as const;
  const confirming = db.transaction((tx) => confirmIntents(tx, [success], true));
  await until(async () => (await query(db, WAITING)).length > 0);
  failed.resolve();
  await failing;
  expect(await confirming).toMatchObject([{ intent: { status: 'confirmed' }, hadNoEffect: true }]);
});

test.each([
  ['that is answered late takes the silence back', 0, []],
  ['that is not answered leaves it noted', 6_000, [{ noted: 1 }]],
])('a process %s', async (_what, unreachableMs, noted) => {
  await beSilent(1);
  const hang = () => new Promise<never>(() => undefined);
  await lookForSilence({
    db,
    rpc: { call: hang, callEach: hang, unreachableForMs: () => unreachableMs },
    log: createLogger('silent'),
    config: { ...ENGINE_CONFIG, timings: { ...ENGINE_CONFIG.timings, leaseMs: 30 } },
    followUps: { settled: async () => undefined },
  });
  expect(await query(db, 'select 1 as noted from reader where silent_since is not null')).toEqual(noted);
});
