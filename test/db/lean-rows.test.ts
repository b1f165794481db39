import { expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(1);

test('an intent that is sent changes its row alone: no index knows of what changes with it', async () => {
  const indexes = await query<{ definition: string }>(
    db,
    `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'intents'::regclass`,
  );
  expect(indexes.length).toBeGreaterThan(5);
  for (const { definition } of indexes)
    expect(definition).not.toMatch(/\b(status|transaction_hash|updated_at)\b/);
});

test.each([
  ['queued', 'open'],
  ['submitted', 'open'],
  ['confirmed', 'confirmed'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
  ['quarantined', 'quarantined'],
])('what is %s is %s for indexes, whoever writes it', async (status, phase) => {
  await query(
    db,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', 'x') on conflict do nothing`,
  );
  const [row] = await query<{ number: bigint; phase: string }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash)
     select gen_random_uuid(), id, 'live', 'mint', :address, :address, '', :address, 1, 'queued', :hash from accounts
     returning number, phase`,
    { address: Buffer.alloc(20, 1), hash: Buffer.alloc(32, 1) },
  );
  expect(row!.phase).toBe('open');
  const isFinal = status === 'failed' || status === 'cancelled';
  const error = status === 'failed' ? 'CHAIN_ERROR' : null;
  const changed = await query<{ phase: string }>(
    db,
    `update intents set status = :status, final_at = case when :isFinal::boolean then now() end, error_code = :error, error_message = :error
      where number = :number returning phase`,
    { status, isFinal, error, number: String(row!.number) },
  );
  expect(changed).toEqual([{ phase }]);
  await expect(
    query(db, `update intents set phase = 'lost' where number = :number`, { number: String(row!.number) }),
  ).rejects.toThrow('intents_phase_check');
});
