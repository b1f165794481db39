import { mkdtempDisposable, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { archiveFinished } from '../../src/admin/archive/archive.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { areVerdictsUnsure, findArchivable, findArchivableTransactions } from '../../src/engine/index.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { createTestDatabase, openTestDb } from '../../lab/stage/database.ts';
import { insertLane } from '../setup/lanes.ts';

const stack = new AsyncDisposableStack();
let db: Db;

const SIGNER: Hex = `0x${'aa'.repeat(20)}`;
const COIN: Hex = `0x${'01'.repeat(20)}`;
const ART: Hex = `0x${'02'.repeat(20)}`;
const OLD = 60;
const before = new Date(Date.now() - 30 * 86_400_000);

beforeAll(async () => {
  const database = stack.use(await createTestDatabase());
  db = stack.use(openTestDb(database.url, 2));
  await query(
    db,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@example.com', 'x')`,
  );
});

afterAll(() => stack.disposeAsync());

beforeEach(async () => {
  await query(
    db,
    'truncate intents, transactions, attempts, lanes, quarantined, deep_reorgs restart identity cascade',
  );
  await query(db, 'update server set lost_since = null');
  await query(db, 'delete from operators');
  await insertLane(db, SIGNER);
});

interface TestIntent {
  status?: 'queued' | 'submitted' | 'confirmed' | 'failed' | 'cancelled' | 'quarantined';
  contract?: Hex;
  /** Days since it was accepted, and since it was final; null for what is not. */
  age?: number;
  finalAge?: number | null;
  environment?: 'live' | 'sandbox';
  inDoubt?: boolean;
}

/** Stores an intent as an engine may have left it. Returns its number. */
async function insert({
  status = 'confirmed',
  contract = COIN,
  age = OLD,
  finalAge = ['confirmed', 'failed', 'cancelled'].includes(status) ? age : null,
  environment = 'live',
  inDoubt = false,
}: TestIntent = {}): Promise<bigint> {
  const [row] = await query<{ number: bigint }>(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash,
                          error_code, error_message, in_doubt, created_at, final_at)
     select gen_random_uuid(), id, :environment, 'mint', :contract, :contract, '\\x00', :contract, 1, :status,
            case when :status <> 'queued' then sha256('x') end,
            case when :status = 'failed' then 'CHAIN_ERROR' end, case when :status = 'failed' then 'no' end, :inDoubt,
            now() - :age * interval '1 day', now() - :finalAge * interval '1 day'
       from accounts returning number`,
    { status, contract: toBytes(contract), age, finalAge, environment, inDoubt },
  );
  return row!.number;
}

let nonces = 0;

/** Stores a transaction with these intents in it. Returns its id. */
async function send(
  numbers: readonly bigint[],
  {
    status = 'final',
    age = OLD,
    live = true,
  }: { status?: 'open' | 'mined' | 'final' | 'displaced'; age?: number; live?: boolean } = {},
): Promise<bigint> {
  nonces += 1;
  const [row] = await query<{ id: bigint }>(
    db,
    `with sent as (
       insert into transactions (signer, nonce, status, gas_limit, expected_gas, operator, epoch, calldata, mined_hash, block_number,
                                 block_hash, created_at, intent_numbers, gas_caps)
       values (:signer, :nonce, :status, 1, 1, :signer, 1, '', case when :status = 'final' then sha256('x') end,
               case when :status <> 'open' then 1 end, case when :status <> 'open' then sha256('b') end,
               now() - :age * interval '1 day', :numbers::bigint[], array_fill(1, array[cardinality(:numbers::bigint[])])) returning id
     ), members as (
       update intents i set sent_in = sent_in || sent.id, decided_by = case when :live then sent.id else decided_by end
         from sent where i.number = any(:numbers::bigint[])
     )
     select id from sent`,
    { signer: toBytes(SIGNER), nonce: nonces, status, age, live, numbers: numbers.map(String) },
  );
  return row!.id;
}

const findNumbers = async (): Promise<bigint[]> => (await findArchivable(db, { after: -1n, before })).found;
const findIds = async (): Promise<bigint[]> =>
  (await findArchivableTransactions(db, { after: -1n, before })).found.map(({ id }) => id);

test('what was final before the day is found, whatever its verdict; what came later, is open, or of the sandbox, is not', async () => {
  const old = [
    await insert(),
    await insert({ status: 'failed' }),
    await insert({ status: 'cancelled' }),
    await insert({ contract: ART }),
  ];
  await insert({ environment: 'sandbox' });
  await insert({ finalAge: 1 });
  await insert({ contract: ART, status: 'confirmed', finalAge: null });
  await insert({ age: 1 });
  expect(await findNumbers()).toEqual(old);
});

test('the newest write to the chain stays, however many of the sandbox are newer', async () => {
  const first = await insert();
  await insert();
  await insert({ environment: 'sandbox' });
  expect(await findNumbers()).toEqual([first]);
});

test.each<[string, TestIntent]>([
  ['queued', { status: 'queued' }],
  ['submitted', { status: 'submitted' }],
  ['quarantined', { status: 'quarantined' }],
  ['confirmed in a block that is not final', { status: 'confirmed', finalAge: null }],
])(
  'what is behind an intent of its contract that is %s stays: that one has to know what came later',
  async (_name, open) => {
    const [earlier, other] = [await insert(), await insert({ contract: ART })];
    await insert(open);
    await insert();
    const later = await insert({ contract: ART });
    await insert();
    expect(await findNumbers()).toEqual([earlier, other, later]);
  },
);

test.each(['open', 'mined', 'displaced'] as const)(
  'what was in a transaction that is %s stays, and the transaction too',
  async (status) => {
    const [done, unsure] = [await insert(), await insert()];
    const id = await send([done, unsure]);
    await send([unsure], { status, live: false });
    await send([await insert()]);
    expect(await findNumbers()).toEqual([done]);
    expect(await findIds()).toEqual([id]);
  },
);

test('what had no effect stays while the epoch after its own is not raised for good; a success goes', async () => {
  const done = await insert({ inDoubt: true });
  const failed = [await insert({ status: 'failed' }), await insert({ status: 'cancelled' })];
  await insert({ status: 'failed', inDoubt: true });
  await insert();
  expect(await findNumbers()).toEqual([done, ...failed]);
  await query(
    db,
    `insert into operators (address, epoch, tag, raised_in, is_current) values (:coin, 2, sha256('tag'), null, true)`,
    { coin: toBytes(COIN) },
  );
  expect(await findNumbers()).toEqual([done]);
  await query(db, 'update operators set raised_in = 9');
  expect(await findNumbers()).toEqual([done, ...failed]);
});

test('the newest final transaction of a signer stays: its nonce is never used again', async () => {
  const first = await send([]);
  await send([]);
  await send([], { status: 'open', age: 1 });
  expect(await findIds()).toEqual([first]);
});

test('all pages are looked at, up to the first one that is newer', async () => {
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, status, created_at, final_at)
     select gen_random_uuid(), id, 'live', 'mint', :contract, 'confirmed', now() - interval '60 days', now() - interval '60 days'
       from accounts, generate_series(1, 1200)`,
    { contract: toBytes(COIN) },
  );
  await insert({ age: 1 });
  const found: bigint[] = [];
  let pages = 0;
  for (let after: bigint | null = -1n; after !== null; pages += 1) {
    const page = await findArchivable(db, { after, before });
    found.push(...page.found);
    after = page.last;
  }
  expect(new Set(found).size).toBe(1_200);
  expect(pages).toBeLessThanOrEqual(4);
});

test('nothing counts as final while commits are lost or a deep reorg is not resolved', async () => {
  expect(await areVerdictsUnsure(db)).toBe(false);
  await query(db, 'update server set lost_since = now()');
  expect(await areVerdictsUnsure(db)).toBe(true);
  await query(db, 'update server set lost_since = null');
  await query(db, 'insert into deep_reorgs default values');
  expect(await areVerdictsUnsure(db)).toBe(true);
});

test('an archive that was interrupted before it was noted goes on, though one that was moved away had its name', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-archive-'));
  await query(db, `insert into chain (chain_id, genesis_hash) values (1, sha256('genesis'))`);
  const order = { before, file: path.join(folder.path, 'archive.jsonl') };
  const archive = (end?: string) =>
    archiveFinished(db, order, (point) => {
      if (point === end) throw new Error(point);
    });
  await insert();
  await insert();
  expect((await archive()).removed.intents).toBe(1);
  await rename(order.file, `${order.file}.first`);
  await insert();
  await expect(archive('exported')).rejects.toThrow('exported');
  expect((await archive()).removed.intents).toBe(1);
});
