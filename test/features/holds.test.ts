import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { countLedgerErrors } from '../../lab/faults/books.ts';
import { query } from '../../src/db/client.ts';
import type { Tx } from '../../src/db/client.ts';
import { findIntents, insertIntents } from '../../src/engine/store/intents.ts';
import type { GasUse, NewIntent, VerdictChange } from '../../src/engine/intent.ts';
import { createHold, holds } from '../../src/features/metering/intents.ts';
import { noteArchived } from '../../src/features/metering/store.ts';
import { GAS_PER_DAY, PLAN_LIMITS } from '../../src/lib/plans.ts';
import { insertChain } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* What verdicts, and reorgs that take them back, make of what an intent holds. After each step the books add up. */

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = Buffer.alloc(32, 7);

const { db } = useSuiteDatabase(2);
const hold = createHold(GAS_PER_DAY.test);
let accountId: string;

beforeEach(async () => {
  await db.raw('truncate accounts, intents, chain, lanes cascade');
  await insertChain(db, CONTRACT);
  accountId = randomUUID();
  await query(db, `insert into accounts (id, email, password_hash) values (:accountId, 'a@b.c', '-')`, {
    accountId,
  });
});

const MINT = {
  kind: 'mint',
  arguments: { type: 'ERC20', to: CONTRACT },
  cost: { meter: 'mints', amount: 1 },
};
const BATCH = {
  kind: 'batch_mint',
  arguments: { recipients: [CONTRACT, CONTRACT, CONTRACT] },
  cost: { meter: 'credits', amount: 3 },
};
const FREE = { kind: 'set_metadata', arguments: { tokenId: null }, cost: null };
type Asked = typeof MINT | typeof BATCH | typeof FREE;

/** Accepts a write that needs this gas, as the API does. Returns its number. */
function accept(asked: Asked, gas = 50_000): Promise<bigint> {
  const request = {
    ...{
      id: randomUUID(),
      otherDayIds: [],
      accountId,
      environment: 'live',
      contract: CONTRACT,
      idempotency: null,
    },
    call: {
      ...{ target: CONTRACT, data: '0x01', gasEstimate: gas, gasMax: gas },
      isControl: false,
    },
    origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
    ...asked,
  } as NewIntent;
  return db.transaction(async (tx) => {
    const [taken] = await hold(tx, [{ ...request, gas, refusal: null }]);
    if (taken instanceof Error) throw taken;
    const [intent] = await insertIntents(tx, [{ request, ...taken! }]);
    return intent!.number;
  });
}

const ROWS: Record<VerdictChange['outcome'], string> = {
  confirmed: `status = 'confirmed', phase = 'confirmed', error_code = null, error_message = null, final_at = null`,
  final: `status = 'confirmed', phase = 'confirmed', error_code = null, error_message = null, final_at = now()`,
  failed: `status = 'failed', phase = 'failed', error_code = 'CHAIN_ERROR', error_message = '-', final_at = now()`,
  cancelled: `status = 'cancelled', phase = 'cancelled', final_at = now()`,
  retracted: `status = 'submitted', phase = 'open'`,
  reopened: `status = 'submitted', phase = 'open', error_code = null, error_message = null, final_at = null`,
};

/** Gives these verdicts on an intent at once, of which the last one stands in its row. @param gas that was used */
async function settle(
  number: bigint,
  outcomes: readonly VerdictChange['outcome'][],
  { gas = null, wasSuccess }: { gas?: number | null; wasSuccess?: boolean } = {},
): Promise<void> {
  const use: GasUse | null = gas === null ? null : { guess: gas, exact: () => gas };
  const settled = async (tx: Tx): Promise<void> => {
    await query(
      tx,
      `update intents set ${ROWS[outcomes.at(-1)!]}, transaction_hash = :hash where number = :number`,
      {
        hash: HASH,
        number: String(number),
      },
    );
    const [intent] = await findIntents(tx, [number]);
    await holds.settled!(
      tx,
      outcomes.map((outcome) => ({
        ...{ intent: intent!, outcome, notifyAccount: false, gas: use },
        ...(outcome === 'reopened' ? { wasSuccess: wasSuccess! } : {}),
      })),
    );
  };
  await db.transaction(settled);
  expect(await countLedgerErrors(db)).toBe(0);
}

async function balance(meter: 'mints' | 'credits' | 'gas'): Promise<{ held: number; committed: number }> {
  const [row] = await query<{ held: number; committed: number }>(
    db,
    `select coalesce(sum(held), 0)::int as held, coalesce(sum(committed), 0)::int as committed from balances where meter = :meter`,
    { meter },
  );
  return row!;
}

describe('a quota', () => {
  test('is held until a verdict is final, and spent or given back with it', async () => {
    const [done, failed, cancelled] = [await accept(MINT), await accept(BATCH), await accept(MINT)];
    expect([await balance('mints'), await balance('credits')]).toEqual([
      { held: 2, committed: 0 },
      { held: 3, committed: 0 },
    ]);
    await settle(done, ['confirmed']);
    expect(await balance('mints')).toEqual({ held: 2, committed: 0 });
    await settle(done, ['final']);
    await settle(failed, ['failed']);
    await settle(cancelled, ['cancelled']);
    expect([await balance('mints'), await balance('credits')]).toEqual([
      { held: 0, committed: 1 },
      { held: 0, committed: 0 },
    ]);
  });

  test('is held again by a success that a deep reorg took back, however often, and spent once', async () => {
    const number = await accept(BATCH);
    await settle(number, ['final']);
    for (let times = 0; times < 3; times += 1) {
      await settle(number, ['reopened'], { wasSuccess: true });
      expect(await balance('credits')).toEqual({ held: 3, committed: 0 });
      await settle(number, ['final']);
      expect(await balance('credits')).toEqual({ held: 0, committed: 3 });
    }
    await settle(number, ['reopened'], { wasSuccess: true });
    await settle(number, ['failed']);
    expect(await balance('credits')).toEqual({ held: 0, committed: 0 });
  });

  test('is charged for a failure that became an effect, also when others have used it up', async () => {
    const number = await accept(BATCH);
    await settle(number, ['failed']);
    for (let left: number = PLAN_LIMITS.BASIC; left >= 3; left -= 3)
      await settle(await accept(BATCH), ['final']);
    await expect(accept(BATCH)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await settle(number, ['reopened', 'confirmed'], { wasSuccess: false });
    expect(await balance('credits')).toEqual({ held: 3, committed: 99 });
    await settle(number, ['final']);
    expect(await balance('credits')).toEqual({ held: 0, committed: 102 });
    await expect(accept(MINT)).resolves.toBeDefined();
    await expect(accept(BATCH)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  test('of a month is spent of it, up to its last microsecond', async () => {
    const number = await accept(MINT);
    await query(db, `update intents set created_at = '2026-01-31T23:59:59.999999Z'`);
    await query(db, `update balances set period = '2026-01-01' where meter = 'mints'`);
    await settle(number, ['final']);
    expect(await balance('mints')).toEqual({ held: 0, committed: 1 });
  });

  test('is proven still when what was spent of it is gone', async () => {
    const [gone, stays] = [await accept(BATCH), await accept(BATCH)];
    await settle(gone, ['final']);
    await settle(stays, ['final']);
    await db.transaction(async (tx) => {
      await noteArchived(tx, [gone]);
      await query(tx, 'delete from intents where number = :gone', { gone: String(gone) });
    });
    expect(await countLedgerErrors(db)).toBe(0);
    expect(await balance('credits')).toEqual({ held: 0, committed: 6 });
  });
});

describe('the gas of a day', () => {
  test('is held by an estimate, and charged as it was used', async () => {
    const number = await accept(FREE);
    expect(await balance('gas')).toEqual({ held: 50_000, committed: 0 });
    await settle(number, ['final'], { gas: 40_000 });
    expect(await balance('gas')).toEqual({ held: 0, committed: 40_000 });
  });

  test('that a deep reorg took back is held again, and charged as the new verdict says', async () => {
    const number = await accept(FREE);
    await settle(number, ['final'], { gas: 40_000 });
    await settle(number, ['reopened'], { wasSuccess: true });
    expect(await balance('gas')).toEqual({ held: 50_000, committed: 0 });
    await settle(number, ['final'], { gas: 70_000 });
    expect(await balance('gas')).toEqual({ held: 0, committed: 70_000 });
    await settle(number, ['reopened'], { wasSuccess: true });
    await settle(number, ['failed']);
    expect(await balance('gas')).toEqual({ held: 0, committed: 0 });
    await settle(number, ['reopened', 'final'], { wasSuccess: false, gas: 30_000 });
    expect(await balance('gas')).toEqual({ held: 0, committed: 30_000 });
  });

  test('is charged for a failure that held none, to a day that nobody used yet', async () => {
    const number = await accept(MINT);
    expect(await balance('gas')).toEqual({ held: 0, committed: 0 });
    await settle(number, ['failed'], { gas: 30_000 });
    expect([await balance('gas'), await balance('mints')]).toEqual([
      { held: 0, committed: 30_000 },
      { held: 0, committed: 0 },
    ]);
    await settle(number, ['reopened', 'final'], { wasSuccess: false, gas: 30_000 });
    expect([await balance('gas'), await balance('mints')]).toEqual([
      { held: 0, committed: 0 },
      { held: 0, committed: 1 },
    ]);
  });
});
