import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { refreshInFlight } from '../../src/engine/lane/load.ts';
import { findUnfinished } from '../../src/engine/store/transactions.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { notePassed } from '../../src/engine/store/mined.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;
const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
  await insertAccount(db);
  await insertLane(db, SIGNER);
});

test('a transaction that is sent while the lane reads how its others stand is not taken for a lost one', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  const parts = createLaneParts(db, SIGNER, { config: ENGINE_CONFIG });
  const lane = openLane(parts, { term: 1n, nextNonce: 0n });
  const attempt = createAttempt(HASH);
  const draft = createDraft(CONTRACT, [number], { attempt });

  const reading = await db.transaction(async (tx) => {
    await query(tx, 'lock table transactions in access exclusive mode');
    const result = refreshInFlight(lane);
    while ((await query(db, 'select 1 from pg_locks where not granted')).length === 0) await sleep(5);
    const { id } = await insertTransaction(tx, lane.key, draft);
    const members = [...draft.members];
    lane.inFlight.add({ ...draft, members, isNoop: false, id: id!, attempts: [attempt], used: null });
    return { result };
  });
  expect(await reading.result).toMatchObject({ isChanged: false, openAgain: [] });
  expect(lane.inFlight.open()).toHaveLength(1);
});

test('what is known later of a transaction in the same block is taken over: then its contracts wait no longer', async () => {
  const { number } = await queueIntent(db, CONTRACT);
  const parts = createLaneParts(db, SIGNER, { config: ENGINE_CONFIG });
  const lane = openLane(parts, { term: 1n, nextNonce: 1n });
  const draft = createDraft(CONTRACT, [number], { attempt: createAttempt(HASH) });
  const { id } = await insertTransaction(db, lane.key, draft);
  for (const transaction of await findUnfinished(db, SIGNER)) lane.inFlight.add(transaction);
  const mark = (hash: Hex | null) =>
    db.transaction((tx) =>
      notePassed(tx, {
        id: id!,
        hash,
        block: { number: 3n, hash: `0x${'33'.repeat(32)}` },
        wasRefused: false,
      }),
    );

  await mark(null);
  expect(await refreshInFlight(lane)).toMatchObject({ isChanged: true });
  expect(lane.inFlight.returning()).toEqual([CONTRACT]);
  expect(await refreshInFlight(lane)).toMatchObject({ isChanged: false });
  // An endpoint had the block before it had the receipt.
  await mark(HASH);
  expect(await refreshInFlight(lane)).toMatchObject({ isChanged: true });
  expect(lane.inFlight.returning()).toEqual([]);
});
