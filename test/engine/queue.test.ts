import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { toBytes, toHex } from '../../src/lib/hex.ts';
import { createDb, query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { retireLane } from '../../src/engine/index.ts';
import { claimContracts } from '../../src/engine/store/contract-lanes.ts';
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
  const range = { first, last: first + count - 1 };
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select ${account}, n || '@example.com', '-' from generate_series(:first::int, :last::int) n`,
    range,
  );
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status)
     select gen_random_uuid(), ${account}, 'live', 'mint', ${contract}, ${contract}, '\\x00', ${contract}, 1, 'queued'
       from generate_series(:first::int, :last::int) n`,
    range,
  );
  if (signer === null) return;
  const bindings = { ...range, signer: Buffer.from(signer.slice(2), 'hex') };
  await query(
    db,
    'insert into lanes (signer, next_nonce) values (:signer, 0) on conflict do nothing',
    bindings,
  );
  await query(
    db,
    `insert into contract_lanes (contract, signer) select ${contract}, :signer from generate_series(:first::int, :last::int) n`,
    bindings,
  );
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDb(database.url, 3);
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
});

test('accounts that wait for another lane hide none that waits for this one', async () => {
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

test('a lane that is retired while its claim waits gets no contract', async () => {
  const [retired, next] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`] as const;
  const contract = `0x${'0c'.repeat(20)}` as const;
  await query(
    db,
    `insert into lanes (signer, epoch, lease_until, next_nonce)
     select s, 1, now() + interval '1 hour', 0 from unnest(:signers::bytea[]) s`,
    { signers: [retired, next].map(toBytes) },
  );
  const holders = async () => {
    const sql = 'select signer from contract_lanes where contract = :contract';
    const rows = await query<{ signer: Buffer }>(db, sql, { contract: toBytes(contract) });
    return rows.map(({ signer }) => toHex(signer));
  };
  const isHeldUp = async () =>
    (
      await query(
        db,
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length > 0;
  // Its claim waits for another one that comes to nothing.
  const other = await db.transaction();
  await query(other, 'insert into contract_lanes (contract, signer) values (:contract, :signer)', {
    contract: toBytes(contract),
    signer: toBytes(next),
  });
  const key = { signer: retired, epoch: 1n };
  const claim = claimContracts(db, key, [contract]);
  while (!(await isHeldUp())) await sleep(10);
  const retirement = retireLane(db, retired, next);
  await Promise.race([retirement, sleep(500)]);
  await other.rollback();
  await Promise.all([claim, retirement]);
  expect(await holders()).toEqual([next]);

  await query(db, 'delete from contract_lanes where contract = :contract', { contract: toBytes(contract) });
  expect([...(await claimContracts(db, key, [contract])), ...(await holders())]).toEqual([]);
});
