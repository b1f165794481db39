import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { retireLane } from '../../src/engine/index.ts';
import {
  insertAttempt,
  insertNoop,
  insertTransaction,
  turnIntoNoops,
} from '../../src/engine/store/insert-transaction.ts';
import { beginEpochs } from '../../src/engine/store/epochs.ts';
import { findNeverSent } from '../../src/engine/store/silence.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertChain, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
/** The lane was taken over: whoever has the first key lost it. */
const LOST = { signer: SIGNER, term: 1n };
const HELD = { signer: SIGNER, term: 2n };

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER, { term: HELD.term, nextNonce: 5n });
});

const queue = async (contract: Hex = CONTRACT): Promise<bigint> => (await queueIntent(db, contract)).number;

const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;

const send = (lane: typeof HELD, numbers: readonly bigint[], nonce = 5n) =>
  insertTransaction(
    db,
    lane,
    createDraft(CONTRACT, numbers, { nonce, attempt: createAttempt(hashOf(String(nonce)), 10n) }),
  );

/** How the only transaction, its intent and the lane stand. */
async function standing() {
  const [row] = await query<{ state: string }>(
    db,
    `select concat_ws(' ', (select next_nonce from lanes where signer = :signer),
              (select string_agg(case when is_noop then 'no-op ' else '' end || status, ',' order by nonce) from transactions),
              (select count(*) from attempts) || ' attempts', (select count(*) from transaction_intents) || ' members',
              (select string_agg(status, ',' order by number) from intents)) as state`,
    { signer: toBytes(SIGNER) },
  );
  return row!.state;
}

describe('a process that lost the lane', () => {
  test('stores no transaction', async () => {
    const number = await queue();
    expect(await send(LOST, [number])).toEqual({ id: null, left: [] });
    expect(await standing()).toBe('5 0 attempts 0 members queued');
    expect(await send(HELD, [number])).toEqual({ id: expect.any(BigInt), left: [] });
    expect(await standing()).toBe('6 open 1 attempts 1 members submitted');
  });

  test('stores no other bid', async () => {
    const id = (await send(HELD, [await queue()])).id!;
    expect(await insertAttempt(db, LOST, id, createAttempt(hashOf('b'), 20n))).toBe(false);
    expect(await standing()).toBe('6 open 1 attempts 1 members submitted');
    expect(await insertAttempt(db, HELD, id, createAttempt(hashOf('b'), 20n))).toBe(true);
    expect(await standing()).toBe('6 open 2 attempts 1 members submitted');
  });

  test('makes nothing a no-op', async () => {
    const id = (await send(HELD, [await queue()])).id!;
    const noop = { id, gasLimit: 21_000n, expectedFee: 0n, attempt: createAttempt(hashOf('b'), 20n) };
    expect(await turnIntoNoops(db, LOST, [noop])).toBe(false);
    expect(await standing()).toBe('6 open 1 attempts 1 members submitted');
    expect(await turnIntoNoops(db, HELD, [noop])).toBe(true);
    expect(await standing()).toBe('6 no-op open 2 attempts 1 members submitted');
  });

  test.each([
    ['its next nonce', 5n, 6],
    ['one below it', 3n, 5],
  ])('fills no nonce: %s', async (_which, nonce, next) => {
    const attempt = createAttempt(hashOf('b'), 20n);
    const noop = { nonce, gasLimit: 21_000n, expectedFee: 0n, operator: CONTRACT, epoch: 1n, attempt };
    expect(await insertNoop(db, LOST, noop)).toBeNull();
    expect(await standing()).toBe('5 0 attempts 0 members');
    expect(await insertNoop(db, HELD, noop)).toEqual(expect.any(BigInt));
    expect(await standing()).toBe(`${next} no-op open 1 attempts 0 members`);
  });
});

describe('a transaction', () => {
  test('is stored with all of its intents or not at all', async () => {
    const [one, other] = [await queue(), await queue()];
    await query(
      db,
      `update intents set status = 'cancelled', phase = 'cancelled', final_at = now() where number = :number`,
      {
        number: String(other),
      },
    );
    expect(await send(HELD, [one, other])).toEqual({ id: null, left: [other] });
    expect(await standing()).toBe('5 0 attempts 0 members queued,cancelled');
  });

  test('takes the next nonce and no other', async () => {
    const number = await queue();
    expect(await send(HELD, [number], 6n)).toEqual({ id: null, left: [] });
    expect(await send(HELD, [number], 4n)).toEqual({ id: null, left: [] });
    expect(await standing()).toBe('5 0 attempts 0 members queued');
  });
});

test('a lane that is on its way out stores no new transaction, also once its holder has taken it again', async () => {
  const number = await queue();
  await retireLane(db, SIGNER);
  const [row] = await query<{ term: bigint }>(db, 'select term from lanes where signer = :signer', {
    signer: toBytes(SIGNER),
  });
  for (const key of [HELD, { signer: SIGNER, term: row!.term }])
    expect(await send(key, [number])).toEqual({ id: null, left: [] });
});

describe('an intent that may be given up while the chain is out of reach', () => {
  const neverSent = async () => {
    await query(db, `update reader set silent_since = now() - interval '1 second'`);
    return (await findNeverSent(db, { outOfReachMs: 0, limit: 10 })).map(({ number }) => number);
  };

  test('was never in a transaction, not even in one that came to nothing', async () => {
    const [fresh, returned] = [await queue(), await queue()];
    const id = (await send(HELD, [returned])).id!;
    await query(db, 'update intents set decided_by = null where decided_by = :id', {
      id: String(id),
    });
    await query(db, `update intents set status = 'queued', transaction_hash = null where number = :number`, {
      number: String(returned),
    });
    expect(await neverSent()).toEqual([fresh]);
  });

  test('has left no trace on the chain that a restored database saw', async () => {
    const number = await queue();
    await query(db, 'update intents set in_doubt = true where number = :number', {
      number: String(number),
    });
    expect(await neverSent()).toEqual([]);
  });

  test('is of no epoch that is over or about to be: bytes that nobody here knows may have done it', async () => {
    await insertChain(db, CONTRACT);
    const old = await queue();
    expect(await neverSent()).toEqual([old]);
    await beginEpochs(db);
    expect(await neverSent()).toEqual([]);
    const number = await queue();
    await query(db, 'update intents set epoch = 2 where number = :number', { number: String(number) });
    expect(await neverSent()).toEqual([number]);
  });
});
