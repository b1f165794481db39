import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { lockAccount } from '../../src/db/change-account.ts';
import { query } from '../../src/db/client.ts';
import {
  answerOnce,
  deleteOldRecords,
  findAnswer,
  findRecords,
  insertAnswer,
  insertRecords,
} from '../../src/db/idempotency.ts';
import { toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createDeadlock } from '../setup/deadlock.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const HASH = toHex(Buffer.alloc(32, 7));

const { db } = useSuiteDatabase(3);
let accountId: string;

beforeAll(async () => {
  accountId = await insertAccount(db);
});

/** How an intent stands, and for how many hours it has had its final verdict. */
interface Standing {
  status: 'queued' | 'submitted' | 'confirmed' | 'failed';
  finalHours: number | null;
}

async function makeIntent({ status, finalHours }: Standing): Promise<bigint> {
  const [row] = await query<{ number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash,
                          error_code, error_message, created_at, final_at)
     values (gen_random_uuid(), :accountId, 'live', 'mint', :contract, :contract, '\\x00', :contract, 1, :status, :hash,
             case when :status = 'failed' then 'CHAIN_ERROR' end, case when :status = 'failed' then 'no' end,
             now() - interval '40 days', now() - cast(:finalHours as float8) * interval '1 hour') returning number`,
    {
      ...{ accountId, status, finalHours },
      contract: Buffer.alloc(20, 1),
      hash: status === 'queued' ? null : Buffer.alloc(32, 2),
    },
  );
  return row!.number;
}

/** Keeps a record that is `hours` old, of a request with an intent or with an answer of its own. */
async function keep(hours: number, intent: Standing | null): Promise<string> {
  const key = randomUUID();
  const intentNumber = intent && (await makeIntent(intent));
  await db.transaction((tx) =>
    insertRecords(tx, [
      {
        ...{ accountId, environment: 'live', key, requestHash: HASH, intentNumber },
        answer: intentNumber === null ? { kept: true } : null,
      },
    ]),
  );
  await query(
    db,
    `update idempotency_records set created_at = now() - cast(:hours as float8) * interval '1 hour' where key = :key`,
    { hours, key },
  );
  return key;
}

const nameOf = (key: string) => ({ accountId, environment: 'live' as const, key });
const isKnown = async (key: string): Promise<boolean> =>
  (await db.transaction((tx) => findRecords(tx, [nameOf(key)]))).length === 1;
const isKept = async (key: string): Promise<boolean> =>
  (await query(db, 'select 1 from idempotency_records where key = :key', { key })).length === 1;

const MONTH = 24 * 30;
const LIVING: [string, number, Standing | null][] = [
  ['whose intent still waits after a month', MONTH, { status: 'queued', finalHours: null }],
  ['whose intent is under way for a month', MONTH, { status: 'submitted', finalHours: null }],
  ['whose intent is done but not for good', MONTH, { status: 'confirmed', finalHours: null }],
  ['whose intent was done for good 23 hours ago', MONTH, { status: 'confirmed', finalHours: 23 }],
  ['whose intent failed 23 hours ago', MONTH, { status: 'failed', finalHours: 23 }],
  ['without an intent, 23 hours old', 23, null],
];
const EXPIRED: [string, number, Standing | null][] = [
  ['whose intent was done for good 25 hours ago', MONTH, { status: 'confirmed', finalHours: 25 }],
  ['whose intent failed 25 hours ago', MONTH, { status: 'failed', finalHours: 25 }],
  ['without an intent, 25 hours old', 25, null],
];

describe('a record', () => {
  test.each(LIVING)('%s still answers', async (_case, hours, intent) => {
    const key = await keep(hours, intent);
    expect(await isKnown(key)).toBe(true);
    await deleteOldRecords(db, 1_000);
    expect(await isKept(key)).toBe(true);
  });

  test.each(EXPIRED)('%s is unknown, and its key is free', async (_case, hours, intent) => {
    const key = await keep(hours, intent);
    expect(await isKnown(key)).toBe(false);
    expect(await isKept(key)).toBe(false);
  });

  test.each(EXPIRED)('%s is cleaned up', async (_case, hours, intent) => {
    const key = await keep(hours, intent);
    await deleteOldRecords(db, 1_000);
    expect(await isKept(key)).toBe(false);
  });

  test('is of one account and one environment', async () => {
    const key = await keep(1, null);
    const others = [
      { ...nameOf(key), accountId: randomUUID() },
      { ...nameOf(key), environment: 'sandbox' as const },
    ];
    expect(await db.transaction((tx) => findRecords(tx, others))).toEqual([]);
  });

  test('answers the request that made it, and refuses another one', async () => {
    const key = await keep(1, null);
    const ask = (requestHash: Hex) => db.transaction((tx) => findAnswer(tx, { ...nameOf(key), requestHash }));
    expect(await ask(HASH)).toEqual({ kept: true });
    await expect(ask(toHex(Buffer.alloc(32, 8)))).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('that another request is about to make is waited for', async () => {
    const request = { ...nameOf(randomUUID()), requestHash: HASH };
    const [asked, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Of another replica: in this process it would have to wait for its turn.
    const first = db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      expect(await findAnswer(tx, request)).toBeUndefined();
      asked.resolve();
      await committed.promise;
      await insertAnswer(tx, request, { kept: true });
    });
    await asked.promise;
    const second = answerOnce(db, request, request, async () => ({ answer: { kept: false } }));
    // Time for the second one to look, if nothing held it up.
    await Promise.race([second, sleep(500)]);
    committed.resolve();
    await first;
    expect(await second).toEqual({ kept: true });
  });
});

test('a write that a deadlock ended is done again', async () => {
  const request = { ...nameOf(randomUUID()), requestHash: HASH };
  let tries = 0;
  const answer = await answerOnce(db, request, request, async () => {
    tries += 1;
    if (tries === 1) throw createDeadlock();
    return { answer: { tries } };
  });
  expect(answer).toEqual({ tries: 2 });
  expect(await db.transaction((tx) => findAnswer(tx, request))).toEqual({ tries: 2 });
});
