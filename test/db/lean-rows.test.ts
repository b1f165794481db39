import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { insertIntents } from '../../src/engine/store/intents.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { confirmIntents } from '../../src/engine/store/verdicts.ts';
import { insertChain, insertLane } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'ab'.repeat(32)}` as const;
const RECIPIENT = `0x${'dd'.repeat(20)}`;

const { db } = useSuiteDatabase(1);
let accountId: string;

beforeEach(async () => {
  await db.raw('truncate accounts, intents, chain, lanes, transactions cascade');
  await insertChain(db, CONTRACT);
  accountId = randomUUID();
  await query(db, `insert into accounts (id, email, password_hash) values (:accountId, 'a@b.c', '-')`, {
    accountId,
  });
});

/** Accepts mints of 1 token, as the API does. Returns their numbers. */
async function acceptMints(count: number): Promise<bigint[]> {
  const granted = Array.from({ length: count }, () => ({
    request: {
      ...{
        id: randomUUID(),
        otherDayIds: [],
        accountId,
        environment: 'live' as const,
        kind: 'mint',
        contract: CONTRACT,
      },
      arguments: { type: 'ERC20', to: RECIPIENT, amount: '1' },
      call: {
        target: CONTRACT,
        data: `0x40c10f19${'dd'.repeat(20).padStart(64, '0')}${'1'.padStart(64, '0')}` as const,
        ...{ gasEstimate: 50_000, gasMax: 100_000, isControl: false },
      },
      cost: null,
      idempotency: null,
      origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
    },
    held: { meter: 'mints' as const, amount: 1, remaining: 99 },
    heldGas: null,
  }));
  const intents = await db.transaction((tx) => insertIntents(tx, granted));
  return intents.map(({ number }) => number);
}

test('an intent that is sent changes its row alone: no index knows of what changes with it', async () => {
  const indexes = await query<{ definition: string }>(
    db,
    `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'intents'::regclass`,
  );
  expect(indexes.length).toBeGreaterThan(5);
  for (const { definition } of indexes)
    expect(definition).not.toMatch(/\b(status|transaction_hash|updated_at)\b/);
});

/** Waits for the end of all transactions on the server that may still see what was written before the last update. */
async function waitUntilPrunable(): Promise<void> {
  for (;;) {
    const [row] = await query<{ isPast: boolean }>(
      db,
      `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > (select max(xmin::text::bigint) from intents) as "isPast"`,
    );
    if (row!.isPast) return;
    await sleep(50);
  }
}

test('a mint that is sent and confirmed stays on its page', async () => {
  const pages = async (): Promise<string[]> => {
    const rows = await query<{ page: string }>(
      db,
      `select split_part(ctid::text, ',', 1) as page from intents order by number`,
    );
    return rows.map(({ page }) => page);
  };
  const numbers = await acceptMints(200);
  const accepted = await pages();
  expect(new Set(accepted).size).toBeGreaterThan(10);
  const key = await insertLane(db, RECIPIENT as typeof CONTRACT);
  const { id } = await insertTransaction(
    db,
    key,
    createDraft(CONTRACT, numbers, { attempt: createAttempt(HASH) }),
  );
  expect(id).not.toBeNull();
  expect(await pages()).toEqual(accepted);
  await waitUntilPrunable();
  const successes = numbers.map((number) => ({ number, result: null, transactionHash: HASH }));
  expect(await db.transaction((tx) => confirmIntents(tx, successes, true))).toHaveLength(200);
  expect(await pages()).toEqual(accepted);
});

test('nothing locks the rows of intents before it changes them: each lock is an entry in the log', async () => {
  const triggers = await query(
    db,
    // Bits of pg_trigger.tgtype: 1 for each row, 2 before, 16 update.
    `select tgname from pg_trigger where tgrelid = 'intents'::regclass and tgtype & 19 = 19`,
  );
  expect(triggers).toEqual([]);
});

test('an intent is inserted with the phase of its status, and never has another one', async () => {
  const [number] = await acceptMints(1);
  const of = { number: String(number) };
  expect(await query(db, 'select status, phase from intents')).toEqual([{ status: 'queued', phase: 'open' }]);
  await expect(query(db, 'update intents set phase = null where number = :number', of)).rejects.toThrow(
    'null value in column "phase"',
  );
  for (const set of [`phase = 'lost'`, `phase = 'cancelled'`, `status = 'cancelled', final_at = now()`])
    await expect(query(db, `update intents set ${set} where number = :number`, of)).rejects.toThrow(
      'intents_phase_check',
    );
  await query(
    db,
    `update intents set status = 'cancelled', phase = 'cancelled', final_at = now() where number = :number`,
    of,
  );
});
