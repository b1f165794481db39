import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createAccept } from '../../src/engine/accept/accept.ts';
import type { Accept } from '../../src/engine/accept/accept.ts';
import type { NewIntent } from '../../src/engine/intent.ts';
import { AppError } from '../../src/errors.ts';
import { toHex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* Different requests under one key that are accepted in one group: what arrives together does. */

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const AFFORDABLE = 10;

const { db } = useSuiteDatabase(2);
let accountId: string;
let key: string;
let accept: Accept;
/** How many requests were taken a hold for, group by group. */
let holds: number[];

beforeAll(async () => {
  accountId = await insertAccount(db);
});

beforeEach(() => {
  key = randomUUID();
  holds = [];
  const followUps = { accepted: async () => undefined, settled: async () => undefined };
  accept = createAccept(
    db,
    {
      findGone: async () => new Map(),
      followUps,
      hold: async (_tx, claims) => {
        holds.push(claims.length);
        return claims.map(({ cost }) =>
          cost!.amount > AFFORDABLE
            ? new AppError('QUOTA_EXCEEDED', 'too many')
            : { held: null, heldGas: null },
        );
      },
    },
    () => undefined,
  );
});

/** A request under the key of the test, told from others by its amount. */
const request = (amount: number): NewIntent => ({
  ...{ id: randomUUID(), otherDayIds: [], accountId, environment: 'live', kind: 'mint', contract: CONTRACT },
  ...{ call: null, arguments: {}, cost: { meter: 'mints', amount } },
  idempotency: { key, requestHash: toHex(Buffer.alloc(32, amount)) },
  origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
});

const acceptTogether = (...amounts: number[]) =>
  Promise.allSettled(amounts.map((amount) => accept(request(amount))));

const accepted = (replayed: boolean) => ({ status: 'fulfilled', value: { replayed } });
const refused = (code: string) => ({ status: 'rejected', reason: { code } });

test('a retry is replayed, whatever else was asked under its key', async () => {
  const { intent } = await accept(request(1));
  expect(await acceptTogether(2, 1, 3, 1)).toMatchObject([
    refused('VALIDATION_ERROR'),
    { status: 'fulfilled', value: { intent: { id: intent.id }, replayed: true } },
    refused('VALIDATION_ERROR'),
    { status: 'fulfilled', value: { intent: { id: intent.id }, replayed: true } },
  ]);
  expect(holds).toEqual([1]);
});

test('a request is accepted when another one under its key was refused', async () => {
  expect(await acceptTogether(100, 101, 1, 100, 1)).toMatchObject([
    refused('QUOTA_EXCEEDED'),
    refused('QUOTA_EXCEEDED'),
    accepted(false),
    refused('QUOTA_EXCEEDED'),
    accepted(true),
  ]);
  expect(holds).toEqual([1, 1, 1]);
});

test('of different new ones the first is accepted, and the others are refused', async () => {
  expect(await acceptTogether(1, 2, 1)).toMatchObject([
    accepted(false),
    refused('VALIDATION_ERROR'),
    accepted(true),
  ]);
  expect(holds).toEqual([1]);
});
