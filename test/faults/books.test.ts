import { describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { createTestDatabase, openTestDb } from '../../lab/stage/database.ts';
import { countLedgerErrors } from '../../lab/faults/books.ts';
import type { BookedIntent } from '../../lab/faults/books.ts';
import { countGasErrors } from '../../lab/faults/gas-errors.ts';
import { byIntent } from '../../lab/faults/operator-events.ts';
import type { ReportedCall } from '../../lab/faults/operator-events.ts';

const CONTRACT = `0x${'ab'.repeat(20)}`;

const success = (number: bigint): ReportedCall => ({
  ...{ number, ok: true, used: 30_000, result: 0n, transaction: '0x01' },
});
describe('the gas of a failure', () => {
  const FAILED: BookedIntent = {
    ...{ number: 1n, id: 'one', account: 'one', environment: 'live', kind: 'mint', contract: CONTRACT },
    ...{ asked: {}, calldata: null, status: 'failed', sent: true, final: true },
    ...{ units: 1, gas: 0, exempt: false, transaction: '0x01', result: null },
    error: 'CHAIN_ERROR The call reverted',
  };
  const failure: ReportedCall = { ...success(1n), ok: false };
  const count = (intent: Partial<BookedIntent>, ...calls: ReportedCall[]): Promise<number> =>
    countGasErrors([{ ...FAILED, ...intent }], byIntent(calls), async () => 80_000);

  test('is charged when the books name its transaction', async () => {
    expect(await count({}, failure)).toBe(1);
    expect(await count({ gas: 20_000 }, failure)).toBe(1);
    expect(await count({ gas: 50_000 }, failure)).toBe(0);
  });

  test('is charged when the Operator refused the call, which used nothing itself', async () => {
    expect(await count({}, { ...failure, used: 0 })).toBe(1);
    expect(await count({ gas: 25_000 }, { ...failure, used: 0 })).toBe(0);
  });

  test('is not charged when it failed unsent later', async () => {
    expect(await count({ transaction: null }, failure)).toBe(0);
    expect(await count({ transaction: '0x02' }, failure)).toBe(0);
  });

  test('is not charged to a success that stays within its own', async () => {
    expect(await count({ status: 'confirmed' }, failure, success(1n))).toBe(0);
  });
});

describe('the holds of metered intents', () => {
  /** Books with one final write, which was held and committed with this amount; null: it was not. */
  async function countErrors(
    amount: number | null,
    kind = 'mint',
    recipients: string[] = [],
  ): Promise<number> {
    await using database = await createTestDatabase();
    await using db = openTestDb(database.url, 1);
    await insertConfirmed(db, { amount, kind, recipients });
    return await countLedgerErrors(db);
  }

  test('a mint or a deployment without a hold is an error', async () => {
    expect(await countErrors(null)).toBe(1);
    expect(await countErrors(null, 'deploy_token')).toBe(1);
    expect(await countErrors(null, 'create_collection')).toBe(1);
  });

  test('a hold of another amount than its units is an error', async () => {
    expect(await countErrors(2)).toBe(1);
    expect(await countErrors(1, 'batch_mint', ['0x01', '0x02'])).toBe(1);
  });

  test('what was held as it should be is none, nor a free write without a hold', async () => {
    expect(await countErrors(1)).toBe(0);
    expect(await countErrors(2, 'batch_mint', ['0x01', '0x02'])).toBe(0);
    expect(await countErrors(5, 'create_collection')).toBe(0);
    expect(await countErrors(null, 'pause')).toBe(0);
  });
});

const ACCOUNT = '00000000-0000-4000-8000-000000000000';

async function insertConfirmed(
  db: Db,
  { amount, kind, recipients }: { amount: number | null; kind: string; recipients: readonly string[] },
): Promise<void> {
  await query(db, `insert into accounts (id, email, password_hash) values (:id, 'a@example.com', '')`, {
    id: ACCOUNT,
  });
  await query(
    db,
    `with held as (
       insert into balances (account_id, meter, period, granted, committed)
       select :account::uuid, 'mints', '2026-01-01'::date, :amount::bigint, :amount::bigint where :amount::int is not null
     )
     insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, arguments, status,
                          held_meter, held_amount, held_remaining, created_at, final_at)
     values (gen_random_uuid(), :account, 'live', :kind, :contract, :contract, '', :contract, 1, :arguments, 'confirmed',
             case when :amount::int is not null then 'mints' end, :amount, case when :amount::int is not null then 0 end,
             '2026-01-31T23:59:59.999999Z', now())`,
    {
      ...{ account: ACCOUNT, amount, kind, contract: Buffer.alloc(20, 1) },
      arguments: JSON.stringify({ recipients }),
    },
  );
}
