import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { keepLease, noteProgress } from '../../src/engine/lane/lease.ts';
import { readBacklog } from '../../src/engine/store/backlog.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts, insertLane } from '../setup/lanes.ts';
import { noteQueued } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const OTHER = `0x${'02'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const NEXT = `0x${'c1'.repeat(20)}` as const;

describe('how long lanes stand still', () => {
  const { db } = useSuiteDatabase(3);

  beforeEach(async () => {
    await db.raw('truncate accounts, intents, lanes, transactions, contracts cascade');
    await insertAccount(db);
  });

  /** A lane that got on so many seconds ago the last time. */
  async function addLane(signer: Hex, seconds: number): Promise<void> {
    await insertLane(db, signer);
    await query(
      db,
      `update lanes set progressed_at = now() - :seconds * interval '1 second' where signer = :signer`,
      { signer: toBytes(signer), seconds },
    );
  }

  /** Intents that have been queued for so many seconds. */
  async function addQueued(
    contract: Hex,
    { count = 1, seconds }: { count?: number; seconds: number },
  ): Promise<void> {
    await query(
      db,
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, created_at, updated_at)
       select gen_random_uuid(), id, 'live', 'pause', :contract, :contract, '\\x00', :contract, 1, 'queued', at, at
         from accounts, generate_series(1, :count::int), lateral (select now() - :seconds * interval '1 second' as at) t`,
      { contract: toBytes(contract), count, seconds },
    );
    await noteQueued(db);
  }

  const addOpen = (signer: Hex, seconds: number): Promise<unknown> =>
    query(
      db,
      `insert into transactions (signer, nonce, gas_limit, expected_gas, operator, epoch, calldata, created_at)
       values (:signer, 5, 21000, 21000, :signer, 1, '\\x00', now() - :seconds * interval '1 second')`,
      { signer: toBytes(signer), seconds },
    );

  async function expectSeconds(seconds: number): Promise<void> {
    const stalled = (await readBacklog(db)).stalledMs / 1_000;
    expect(stalled).toBeGreaterThanOrEqual(seconds);
    expect(stalled).toBeLessThan(seconds + 10);
  }

  test('is nothing for a lane without work', async () => {
    await addLane(SIGNER, 3_600);
    expect((await readBacklog(db)).stalledMs).toBe(0);
  });

  test('counts from the last progress, however long one of 650 writes has waited', async () => {
    await addLane(SIGNER, 3);
    await addQueued(CONTRACT, { count: 650, seconds: 600 });
    await expectSeconds(3);
  });

  test('counts from the first of what came to a lane that was idle', async () => {
    await addLane(SIGNER, 3_600);
    await addQueued(CONTRACT, { seconds: 20 });
    await addQueued(NEXT, { seconds: 40 });
    await expectSeconds(40);
  });

  test('counts what is in flight as work', async () => {
    await addLane(SIGNER, 90);
    await addOpen(SIGNER, 100);
    await expectSeconds(90);
  });

  test('counts from the last progress of any lane while none is the sender', async () => {
    await addQueued(CONTRACT, { seconds: 50 });
    await expectSeconds(50);
    await addLane(SIGNER, 20);
    await addLane(OTHER, 40);
    await query(db, 'update lanes set is_sender = false');
    await expectSeconds(20);
  });

  test('is that of the lane which stands, whatever the others do', async () => {
    await addLane(SIGNER, 0);
    await addLane(OTHER, 70);
    await addOpen(OTHER, 80);
    await expectSeconds(70);
  });

  describe('of calls of an Operator that a lane has paused', () => {
    const pause = (signer: Hex): Promise<unknown> =>
      query(
        db,
        `insert into paused_operators (signer, operator, reason) values (:signer, :contract, 'no-role')`,
        {
          signer: toBytes(signer),
          contract: toBytes(CONTRACT),
        },
      );

    test('is nothing, and goes on to be counted for the others', async () => {
      await addLane(SIGNER, 90);
      await pause(SIGNER);
      await addQueued(CONTRACT, { seconds: 100 });
      expect((await readBacklog(db)).stalledMs).toBe(0);
      await addQueued(NEXT, { seconds: 80 });
      await expectSeconds(80);
    });

    test('is counted once nobody holds the lane', async () => {
      await addLane(SIGNER, 90);
      await pause(SIGNER);
      await addQueued(CONTRACT, { seconds: 100 });
      await query(db, `update lanes set lease_until = now() - interval '1 second'`);
      await expectSeconds(90);
    });

    test('is counted while another lane may take them', async () => {
      await addLane(SIGNER, 90);
      await addLane(OTHER, 80);
      await pause(SIGNER);
      await addQueued(CONTRACT, { seconds: 100 });
      await expectSeconds(90);
      await pause(OTHER);
      expect((await readBacklog(db)).stalledMs).toBe(0);
    });
  });

  test('leaves out what a retiring signer has in flight, and not what waits for it', async () => {
    await addLane(SIGNER, 90);
    await addOpen(SIGNER, 100);
    await query(db, 'update lanes set retiring = true, is_sender = false');
    expect((await readBacklog(db)).stalledMs).toBe(0);
    await addQueued(CONTRACT, { seconds: 80 });
    await expectSeconds(80);
  });

  test('leaves out what nobody sends for once all of its calls go with the sender', async () => {
    await addLane(OTHER, 0);
    await addLane(SIGNER, 90);
    await addQueued(CONTRACT, { seconds: 100 });
    await addOpen(SIGNER, 100);
    await query(db, `update lanes set lease_until = now() - interval '80 seconds' where not is_sender`);
    await query(
      db,
      `with named as (
         update transactions t set intent_numbers = array[i.number], gas_caps = '{50000}' from intents i returning t.id
       )
       update intents set status = 'submitted', phase = 'open', transaction_hash = decode(repeat('aa', 32), 'hex'),
                          decided_by = named.id, sent_in = array[named.id] from named`,
    );
    await expectSeconds(90);
    await query(
      db,
      `update intents set status = 'confirmed', phase = 'confirmed', decided_by = null, final_at = now()`,
    );
    expect((await readBacklog(db)).stalledMs).toBe(0);
  });

  test('ends when the holder of the lane reports progress with its lease, and goes on when it reports none', async () => {
    await addLane(SIGNER, 90);
    await addOpen(SIGNER, 100);
    const config = { ...ENGINE_CONFIG, timings: { ...ENGINE_CONFIG.timings, leaseMs: 300 } };
    const lane = openLane(createLaneParts(db, SIGNER, { config }), { term: 1n, nextNonce: 6n });
    await using stack = new AsyncDisposableStack();
    stack.use(
      keepLease(
        lane,
        () => undefined,
        () => 0,
      ),
    );
    const renewed = (): Promise<unknown[]> =>
      query(db, `select 1 from lanes where lease_until < now() + interval '10 minutes'`);
    while ((await renewed()).length === 0) await sleep(50);
    await expectSeconds(90);
    noteProgress(lane);
    for (const end = Date.now() + 10_000; Date.now() < end && (await readBacklog(db)).stalledMs > 50_000;)
      await sleep(50);
    await expectSeconds(0);
  });
});
