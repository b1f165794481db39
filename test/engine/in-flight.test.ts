import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { refreshInFlight } from '../../src/engine/lane/refresh.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { insertAccount } from '../setup/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';
import { LANE_CONFIG } from './lane-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const { db } = useSuiteDatabase(3);

test('a transaction that is sent while the lane reads how its others stand is not taken for a lost one', async () => {
  await insertAccount(db);
  await insertLane(db, SIGNER);
  const { number } = await queueIntent(db, CONTRACT);
  const parts = createLaneParts(db, SIGNER, { config: LANE_CONFIG });
  const lane = openLane(parts, { epoch: 1n, nextNonce: 0n, healing: false });
  const attempt = createAttempt(`0x${'aa'.repeat(32)}`);
  const draft = createDraft(CONTRACT, [number], { attempt });

  const reading = await db.transaction(async (tx) => {
    await query(tx, 'lock table transactions in access exclusive mode');
    const result = refreshInFlight(lane);
    while ((await query(db, 'select 1 from pg_locks where not granted')).length === 0) await sleep(5);
    const { id } = await insertTransaction(tx, lane.key, draft);
    const members = [...draft.members];
    lane.inFlight.add({ ...draft, members, isNoop: false, id: id!, attempts: [attempt], mined: null });
    return { result };
  });
  expect(await reading.result).toMatchObject({ isChanged: false, reopened: [] });
  expect(lane.inFlight.open()).toHaveLength(1);
});
