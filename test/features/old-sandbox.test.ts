import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import { MAX_SANDBOX_WRITES, deleteOldSandbox } from '../../src/features/collections/old-sandbox.ts';
import { createCollection, createKey, requestBatch, requestNft } from '../setup/collections.ts';
import type { TestKey } from '../setup/collections.ts';
import { createAsk } from '../setup/request.ts';
import type { Ask } from '../setup/request.ts';
import { startTestService } from '../setup/service.ts';
import type { TestAccount, TestService } from '../setup/service.ts';
import { RECIPIENT } from '../setup/tokens.ts';

const METADATA = { name: 'Blue Hour', description: 'The harbour after sunset.' };

let mintmark: TestService;
let db: Db;
let ask: Ask;

beforeAll(async () => {
  mintmark = await startTestService();
  ({ db } = mintmark.service.context);
  ask = createAsk(mintmark.url);
});

afterAll(() => mintmark?.stop());

async function register(): Promise<{ account: TestAccount; live: TestKey; sandbox: TestKey }> {
  const account = await mintmark.register();
  const [live, sandbox] = await Promise.all([
    createKey(mintmark, account),
    createKey(mintmark, account, 'sandbox'),
  ]);
  return { account, live, sandbox };
}

/** As the clean-up does, in small batches, and until nothing more goes. */
async function deleteAllOld(): Promise<number> {
  let total = 0;
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await deleteOldSandbox(db, 3);
  return total;
}

/** Lets everything that an account wrote so far be 31 days old. */
const age = ({ id }: TestAccount) =>
  query(db, `update intents set created_at = created_at - interval '31 days' where account_id = :id`, { id });

async function count(table: string, { id }: TestAccount): Promise<number> {
  const [row] = await query<{ n: number }>(
    db,
    table === 'nfts'
      ? `select count(*)::int as n from nfts n join tokens t on t.address = n.contract where t.account_id = :id`
      : `select count(*)::int as n from ${table} where account_id = :id`,
    { id },
  );
  return row!.n;
}

const read = ({ key }: TestKey, path: string) => ask({ token: key }, 'GET', path);
const setMetadata = ({ key }: TestKey, address: string) =>
  ask({ token: key }, 'PUT', `/v1/collections/${address}/metadata`, METADATA);

test('what is 30 days old goes with its collection, its tokens and its key, and nothing of the chain', async () => {
  const { account, live, sandbox } = await register();
  const own = await createCollection(live.api);
  await requestNft(live.api, own);
  const address = await createCollection(sandbox.api);
  const key = randomUUID();
  const first = await requestNft(sandbox.api, address, { key });
  await requestBatch(sandbox.api, address, [{ to: RECIPIENT }, { to: RECIPIENT }]);
  expect((await setMetadata(sandbox, address)).status).toBe(200);
  expect(await deleteAllOld()).toBe(0);
  await age(account);

  expect(await deleteAllOld()).toBe(4);
  expect((await read(sandbox, `/v1/collections/${address}`)).status).toBe(404);
  expect((await read(sandbox, '/v1/collections')).body).toEqual({ data: [], nextCursor: null });
  expect((await read(sandbox, '/intents')).body).toEqual({ data: [], nextCursor: null });
  expect((await read(sandbox, `/intents/${first.headers.get('Intent-Id')}`)).status).toBe(404);
  const [kept] = await query<{ n: number }>(
    db,
    'select count(*)::int as n from idempotency_records where key = :key',
    { key },
  );
  expect(kept!.n).toBe(0);
  expect((await read(live, `/v1/collections/${own}`)).body).toMatchObject({ minted: 1 });
  expect([
    await count('intents', account),
    await count('tokens', account),
    await count('nfts', account),
  ]).toEqual([2, 1, 1]);
});

test('a collection that is written to stays with its newest token, so that ids go on', async () => {
  const { account, sandbox } = await register();
  const address = await createCollection(sandbox.api);
  for (let id = 1; id <= 3; id += 1) await requestNft(sandbox.api, address);
  await age(account);
  expect((await setMetadata(sandbox, address)).status).toBe(200);

  expect(await deleteAllOld()).toBe(2);
  expect((await read(sandbox, `/v1/collections/${address}`)).body).toMatchObject({ minted: 3 });
  const { body } = await read(sandbox, `/v1/collections/${address}/tokens`);
  expect(body).toMatchObject({ data: [{ tokenId: '3' }], nextCursor: null });
  expect((await requestNft(sandbox.api, address)).body).toMatchObject({ tokenId: '4' });
  // The third is not the newest any more.
  expect(await deleteAllOld()).toBe(1);
});

test(`past ${MAX_SANDBOX_WRITES} writes of an account the oldest go, and none of another`, async () => {
  const { account, live, sandbox } = await register();
  const other = await register();
  const foreign = await createCollection(other.sandbox.api);
  const address = await createCollection(sandbox.api);
  const first = await requestNft(sandbox.api, address);
  await query(
    db,
    `with i as (
       insert into intents (id, account_id, environment, kind, contract, arguments, status, final_at)
       select gen_random_uuid(), account_id, environment, kind, contract, arguments, status, now()
         from intents, generate_series(1, :more) n where id = :id order by n
       returning number, contract
     )
     insert into nfts (contract, token_id, recipient, intent_number)
     select contract, 1 + row_number() over (order by number), contract, number from i`,
    { id: first.headers.get('Intent-Id'), more: MAX_SANDBOX_WRITES },
  );
  const newest = await requestNft(sandbox.api, address);
  expect(newest.body).toMatchObject({ tokenId: String(MAX_SANDBOX_WRITES + 2) });
  // It does not count.
  await createCollection(live.api);

  expect(await deleteAllOld()).toBe(2);
  expect(await count('intents', account)).toBe(MAX_SANDBOX_WRITES + 2);
  expect(await count('nfts', account)).toBe(MAX_SANDBOX_WRITES);
  expect((await read(sandbox, `/v1/collections/${address}`)).body).toMatchObject({
    minted: MAX_SANDBOX_WRITES + 2,
  });
  expect((await read(other.sandbox, `/v1/collections/${foreign}`)).status).toBe(200);
});

test('the service misses nothing when its newest write is deleted', async () => {
  const { account, sandbox } = await register();
  await createCollection(sandbox.api);
  // Longer than the database is not looked at.
  await sleep(6_000);
  await age(account);
  expect(await deleteAllOld()).toBe(1);
  await sleep(6_000);
  expect((await read(sandbox, '/v1/collections')).body).toEqual({ data: [], nextCursor: null });
});

test('an account that is being written for is left to the next time', async () => {
  const { account, sandbox } = await register();
  await createCollection(sandbox.api);
  await age(account);
  await db.transaction(async (tx) => {
    await query(tx, 'select 1 from accounts where id = :id for no key update', { id: account.id });
    expect(await deleteOldSandbox(db, 10)).toBe(0);
  });
  expect(await deleteAllOld()).toBe(1);
});
