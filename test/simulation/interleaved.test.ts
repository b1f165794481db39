import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createRandom } from '../../lab/random.ts';
import { interleave } from '../../lab/simulation/interleaver.ts';
import type { Session } from '../../lab/simulation/interleaver.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { query } from '../../src/db/client.ts';
import { createAccept } from '../../src/engine/accept/accept.ts';
import { cancelIntent } from '../../src/engine/accept/cancel.ts';
import type { IntentCall, NewIntent } from '../../src/engine/intent.ts';
import { lockAccounts } from '../../src/engine/store/accounts.ts';
import { clearDrained } from '../../src/engine/store/queue.ts';
import { becomeSender } from '../../src/engine/store/sender.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { failIntents } from '../../src/engine/store/verdicts.ts';
import { createHold, holds } from '../../src/features/metering/intents.ts';
import { toBytes, toHex } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { GAS_PER_DAY, PLAN_LIMITS } from '../../src/lib/plans.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

/* What a server with one session cannot show: two that want the same rows, in every order that a seed draws. */

const SEEDS = Number(process.env['INTERLEAVED_SEEDS'] ?? 12);
const CONTRACTS = Array.from({ length: 4 }, (_, index): Hex => `0x${`c${index}`.repeat(20)}`);
const CONTRACT = CONTRACTS[0]!;
const [ONE, OTHER]: readonly [Hex, Hex] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`];
const OPERATOR = CONTRACT;

/** Of a write that is sent. */
const CALL: IntentCall = {
  ...{ target: CONTRACT, data: '0x00', gasEstimate: 50_000, gasMax: 100_000 },
  isControl: false,
};

const { url, db } = useSuiteDatabase(2);
let accountId: string;

beforeEach(async () => {
  await reset();
});

async function reset(): Promise<void> {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts, chain restart identity cascade');
  accountId = await insertAccount(db);
}

const followUps = { accepted: async () => undefined, settled: async () => undefined };

const request = (key: string, body = 1): NewIntent => ({
  ...{ id: randomUUID(), otherDayIds: [], accountId, environment: 'live', kind: 'mint', contract: CONTRACT },
  ...{ call: null, arguments: {}, cost: { meter: 'mints', amount: 1 } },
  idempotency: { key, requestHash: toHex(Buffer.alloc(32, body)) },
  origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
});

/** @param metered what is asked of quotas, if anything is */
const accept =
  (
    asked: NewIntent,
    metered: Pick<Parameters<typeof createAccept>[1], 'followUps' | 'hold'> = {
      followUps,
      hold: async (_tx, claims) => claims.map(() => ({ held: null, heldGas: null })),
    },
  ): Session =>
  (own) =>
    createAccept(own, { findGone: async () => new Map(), ...metered }, () => undefined)(asked);

const cancel =
  (id: string): Session =>
  (own) =>
    cancelIntent({ db: own, followUps }, { accountId, environment: 'live' }, id, {
      idempotency: null,
      origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
    });

const send =
  (signer: Hex, numbers: readonly bigint[]): Session =>
  (own) =>
    insertTransaction(
      own,
      { signer, term: 1n },
      createDraft(CONTRACT, numbers, { attempt: createAttempt(`0x${signer.slice(2, 4).repeat(32)}`) }),
    );

const fail =
  (number: bigint): Session =>
  (own) =>
    own.transaction((tx) =>
      failIntents(
        tx,
        [{ number, error: { code: 'CHAIN_ERROR', message: 'out of reach' }, transactionHash: null }],
        ['queued'],
      ),
    );

const granted = (ends: readonly PromiseSettledResult<unknown>[]): number =>
  ends.filter(({ status }) => status === 'fulfilled').length;

const read = <Row>(sql: string): Promise<Row[]> => query<Row>(db, sql);

/** Runs a pair of sessions in the order of each seed. */
async function eachSeed(
  prepare: () => Promise<readonly Session[]>,
  check: (ends: PromiseSettledResult<unknown>[]) => Promise<void>,
): Promise<void> {
  const orders = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await reset();
    const sessions = await prepare();
    const { ends, order } = await interleave(url, createRandom(`order ${seed}`), sessions);
    orders.add(order);
    try {
      await check(ends);
    } catch (error) {
      throw new Error(`seed ${seed}, statements in the order ${order}`, { cause: error });
    }
  }
  // Else nothing was shown.
  expect(orders.size).toBeGreaterThan(SEEDS / 4);
}

describe('in whatever order their statements go', () => {
  test('of three requests under one key one intent comes', async () => {
    await eachSeed(
      async () => [accept(request('key')), accept(request('key')), accept(request('key', 2))],
      async (ends) => {
        expect(await read('select 1 from intents')).toHaveLength(1);
        expect(await read('select 1 from idempotency_records')).toHaveLength(1);
        expect(granted(ends)).toBeGreaterThanOrEqual(1);
      },
    );
  });

  test('of a quota no more is taken than is left of it, and what finds nothing is told so', async () => {
    const metered = { followUps: { ...followUps, ...holds }, hold: createHold(GAS_PER_DAY.test) };
    const take = (key: string, amount: number): Session =>
      accept({ ...request(key), call: CALL, cost: { meter: 'mints', amount } }, metered);
    await eachSeed(
      async () => {
        await query(
          db,
          'insert into operators (address, is_current) values (:operator, true) on conflict do nothing',
          { operator: toBytes(OPERATOR) },
        );
        await take('before', PLAN_LIMITS.BASIC - 2)(db);
        return ['one', 'two', 'three'].map((key) => take(key, 1));
      },
      async (ends) => {
        const refusals = ends.flatMap((end) =>
          end.status === 'rejected' ? (end.reason as { code?: string }).code : [],
        );
        expect(refusals).toEqual(['QUOTA_EXCEEDED']);
        expect(await read('select held::int from balances')).toEqual([{ held: PLAN_LIMITS.BASIC }]);
        expect(await read('select 1 from intents')).toHaveLength(3);
      },
    );
  });

  test('what is withdrawn is not sent, and what is sent is not withdrawn', async () => {
    let intent: { id: string; number: bigint };
    await eachSeed(
      async () => {
        intent = await queueIntent(db, CONTRACT, { operator: OPERATOR });
        await insertLane(db, ONE);
        return [cancel(intent.id), send(ONE, [intent.number])];
      },
      async (ends) => {
        const [row] = await read<{ status: string }>('select status from intents');
        const transactions = await read('select 1 from transactions');
        expect([row!.status, transactions.length, granted(ends)]).toEqual(
          row!.status === 'cancelled' ? ['cancelled', 0, 2] : ['submitted', 1, 1],
        );
      },
    );
  });

  test('an intent has one verdict, whether it fails or is withdrawn', async () => {
    await eachSeed(
      async () => {
        const intent = await queueIntent(db, CONTRACT);
        return [cancel(intent.id), fail(intent.number)];
      },
      async ([cancelled, failure]) => {
        const [row] = await read<{ status: string }>('select status from intents');
        const hasFailed = failure?.status === 'fulfilled' && (failure.value as unknown[]).length === 1;
        expect([cancelled!.status === 'fulfilled', hasFailed]).toEqual(
          row!.status === 'cancelled' ? [true, false] : [false, true],
        );
      },
    );
  });

  test('one lane is the sender, and an intent is in one transaction', async () => {
    const become =
      (signer: Hex): Session =>
      (own) =>
        becomeSender(own, { signer, term: 1n }, true);
    await eachSeed(
      async () => {
        for (const signer of [ONE, OTHER]) await insertLane(db, signer);
        await db.raw('update lanes set is_sender = false');
        return [become(ONE), become(OTHER)];
      },
      async (ends) => {
        expect(ends.map((end) => end.status === 'fulfilled' && end.value).toSorted()).toEqual([false, true]);
        expect(await read('select 1 from lanes where is_sender')).toHaveLength(1);
      },
    );
    await eachSeed(
      async () => {
        const { number } = await queueIntent(db, CONTRACT, { operator: OPERATOR });
        for (const signer of [ONE, OTHER]) await insertLane(db, signer);
        await db.raw(`update lanes set lease_until = now() where is_sender`);
        return [send(ONE, [number]), become(OTHER)];
      },
      async () => {
        const [row] = await read<{ signer: Hex }>('select signer from lanes where is_sender');
        expect(row!.signer).toBe(OTHER);
      },
    );
    await eachSeed(
      async () => {
        const { number } = await queueIntent(db, CONTRACT, { operator: OPERATOR });
        for (const signer of [ONE, OTHER]) await insertLane(db, signer);
        return [send(ONE, [number]), send(OTHER, [number])];
      },
      async () => {
        expect(await read('select 1 from transactions')).toHaveLength(1);
      },
    );
  });

  test('a contract with something queued never loses its mark', async () => {
    await eachSeed(
      async () => {
        const { number } = await queueIntent(db, CONTRACT);
        await db.raw(
          `update intents set status = 'cancelled', phase = 'cancelled', final_at = now() where number = ${number}`,
        );
        return [
          (own) =>
            own.transaction(async (tx) => {
              await lockAccounts(tx, [accountId], []);
              await queueIntent(tx, CONTRACT);
            }),
          (own) => clearDrained(own, [CONTRACT]),
          (own) => clearDrained(own, [CONTRACT]),
        ];
      },
      async () => {
        const [row] = await read<{ waiting: boolean }>('select waiting from contracts');
        expect(row!.waiting).toBe(true);
      },
    );
  });
});
