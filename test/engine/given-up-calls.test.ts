import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { refreshInFlight } from '../../src/engine/lane/refresh.ts';
import { findUnfinished } from '../../src/engine/store/find-unfinished.ts';
import { insertTransaction, turnIntoNoops } from '../../src/engine/store/insert-transaction.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../setup/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { LANE_CONFIG } from './lane-config.ts';

/* Calls whose transaction does nothing for them go again once it is final, and before what is behind them. */

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const LANE = { signer: SIGNER, epoch: 1n };
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const FIRST = hashOf('a');
const BLOCK = hashOf('e');

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contract_lanes cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
});

/** Sends an intent of the contract with this nonce. Returns its transaction. */
async function send(nonce: bigint, hash: Hex): Promise<bigint> {
  const { number } = await queueIntent(db, CONTRACT);
  const draft = createDraft(CONTRACT, [number], { nonce, attempt: createAttempt(hash) });
  return (await insertTransaction(db, LANE, draft)).id!;
}

const update = (set: string, bindings: Record<string, Buffer> = {}) =>
  query(db, `update transactions set ${set} where nonce = 0`, bindings);
const MINED = { hash: toBytes(FIRST), block: toBytes(BLOCK) };

const WAYS: [string, () => Promise<unknown>, boolean][] = [
  ['is open', () => Promise.resolve(), false],
  [
    'is mined',
    () => update(`status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block`, MINED),
    false,
  ],
  ['is a no-op', () => update('is_noop = true'), true],
  [
    'was refused by the Operator',
    () =>
      update(
        `status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :block, was_refused = true`,
        MINED,
      ),
    true,
  ],
  [
    'lost its nonce to another program',
    () => update(`status = 'mined', block_number = 1, block_hash = :block`, { block: MINED.block }),
    true,
  ],
];

describe('the contract of a call', () => {
  /** A lane that nobody runs. */
  const createLane = () => {
    const parts = createLaneParts(db, SIGNER, { config: LANE_CONFIG });
    return openLane(parts, { epoch: 1n, nextNonce: 1n, healing: false });
  };

  test.each(WAYS)('whose transaction %s: left out of the queue', async (_name, happen, isLeftOut) => {
    await send(0n, FIRST);
    const watching = createLane();
    const [transaction] = await findUnfinished(db, SIGNER);
    watching.inFlight.add(transaction!);
    await happen();
    const taken = createLane();
    for (const unfinished of await findUnfinished(db, SIGNER)) taken.inFlight.add(unfinished);
    expect(taken.blocked.find()).toEqual(isLeftOut ? [CONTRACT] : []);
    await refreshInFlight(watching);
    // What is given up is known where that is done.
    if (!taken.inFlight.unfinished[0]!.isNoop)
      expect(watching.blocked.find()).toEqual(isLeftOut ? [CONTRACT] : []);
    await query(
      db,
      `update transactions set status = 'final', mined_hash = :hash, block_number = 1, block_hash = :block`,
      MINED,
    );
    await refreshInFlight(taken);
    expect(taken.blocked.find()).toEqual([]);
  });
});

test('transactions become no-ops all together, or none of them', async () => {
  const ids = [await send(0n, FIRST), await send(1n, hashOf('b'))];
  const giveUp = () =>
    turnIntoNoops(
      db,
      LANE,
      ids.map((id, index) => ({ id, gasLimit: 21_000n, attempt: createAttempt(hashOf(String(index)), 9n) })),
    );
  const noops = () => query(db, 'select nonce from transactions where is_noop order by nonce');
  await query(
    db,
    `update transactions set status = 'mined', block_number = 1, block_hash = :block where nonce = 1`,
    { block: MINED.block },
  );
  expect(await giveUp()).toBe(false);
  expect(await noops()).toEqual([]);
  await query(
    db,
    `update transactions set status = 'open', block_number = null, block_hash = null where nonce = 1`,
  );
  expect(await giveUp()).toBe(true);
  expect(await noops()).toEqual([{ nonce: 0n }, { nonce: 1n }]);
});
