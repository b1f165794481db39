import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

const OWN = `0x${'01'.repeat(20)}` as const;
const LIMIT = 5;
let database: TestDatabase;
let db: Db;

/** Accounts by number, each with a mint that waits on a contract of that number, in the lane of `signer` if any. */
async function queue(first: number, count: number, signer: string | null): Promise<void> {
  const account = `('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const contract = `decode(lpad(n::text, 40, '0'), 'hex')`;
  const range = [first, first + count - 1];
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select ${account}, n || '@example.com', '-' from generate_series(?::int, ?::int) n`,
    range,
  );
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, status)
     select gen_random_uuid(), ${account}, 'live', 'mint', ${contract}, ${contract}, '\\x00', 'queued'
       from generate_series(?::int, ?::int) n`,
    range,
  );
  if (signer === null) return;
  await query(db, `insert into lanes (signer, next_nonce) values (?, 0) on conflict do nothing`, [
    Buffer.from(signer.slice(2), 'hex'),
  ]);
  await query(
    db,
    `insert into contract_lanes (contract, signer) select ${contract}, ? from generate_series(?::int, ?::int) n`,
    [Buffer.from(signer.slice(2), 'hex'), ...range],
  );
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDb(database.url, 2);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('accounts that wait for another lane hide nobody who waits for this one', async () => {
  await queue(1, 2 * LIMIT, `0x${'02'.repeat(20)}`);
  await queue(100, 1, OWN);
  await queue(200, 1, null);
  const found = await findQueued(db, OWN, { excluded: [], limit: LIMIT });
  expect(found.map(({ accountId, assigned }) => [Number(accountId.slice(-12)), assigned])).toEqual([
    [100, true],
    [200, false],
  ]);
  const excluded = found.slice(0, 1).map(({ contract }) => contract);
  expect(await findQueued(db, OWN, { excluded, limit: LIMIT })).toHaveLength(1);
});
