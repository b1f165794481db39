import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import { lockAccount } from '../../src/db/change-account.ts';
import {
  MAX_SANDBOX_WRITES,
  createSandboxCleanUp,
  trimSandbox,
} from '../../src/features/collections/old-sandbox.ts';
import { createCollection, createKey, requestBatch, requestNft } from '../../lab/stage/collections.ts';
import type { TestKey } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { readsOf } from '../setup/reads.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

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

/** As the regular clean-up does. */
const cleanUp = (by: Db = db): Promise<number> => createSandboxCleanUp(by)(new AbortController().signal);

/** As acceptance does now and then. */
function trim({ id }: TestAccount): Promise<number> {
  return db.transaction(async (tx) => {
    await lockAccount(tx, id);
    return trimSandbox(tx, id);
  });
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
  expect(await cleanUp()).toBe(0);
  await age(account);

  expect(await cleanUp()).toBe(4);
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

  // The write may have trimmed its account, as one of 128 does.
  await cleanUp();
  expect(await count('intents', account)).toBe(3);
  expect((await read(sandbox, `/v1/collections/${address}`)).body).toMatchObject({ minted: 3 });
  const { body } = await read(sandbox, `/v1/collections/${address}/tokens`);
  expect(body).toMatchObject({ data: [{ tokenId: '3' }], nextCursor: null });
  expect((await requestNft(sandbox.api, address)).body).toMatchObject({ tokenId: '4' });
  // The third is not the newest any more.
  await cleanUp();
  expect(await count('intents', account)).toBe(3);
});

/** Repeats a sandbox mint of the intent with this id so many times. */
async function repeatMint(id: string | null, times: number): Promise<void> {
  await query(
    db,
    `with first as (
       select i.*, n.token_id from intents i join nfts n on n.intent_number = i.number where i.id = :id
     ), i as (
       insert into intents (number, id, account_id, environment, kind, contract, arguments, status, final_at, created_at)
       overriding system value
       select nextval('sandbox_intents_number_seq'), gen_random_uuid(), account_id, environment, kind, contract, arguments, status, now(), created_at
         from first, generate_series(1, :times) n order by n
       returning number, contract
     )
     insert into nfts (contract, token_id, recipient, intent_number)
     select contract, (select token_id from first) + row_number() over (order by number), contract, number from i`,
    { id, times },
  );
}

test(`past ${MAX_SANDBOX_WRITES} writes of an account the oldest go, and none of another`, async () => {
  const { account, live, sandbox } = await register();
  const other = await register();
  const foreign = await createCollection(other.sandbox.api);
  const address = await createCollection(sandbox.api);
  const first = await requestNft(sandbox.api, address);
  await repeatMint(first.headers.get('Intent-Id'), MAX_SANDBOX_WRITES);
  const newest = await requestNft(sandbox.api, address);
  expect(newest.body).toMatchObject({ tokenId: String(MAX_SANDBOX_WRITES + 2) });
  // It does not count.
  await createCollection(live.api);

  // The last write may have trimmed its account, as one of 128 does.
  await trim(account);
  expect(await trim(account)).toBe(0);
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
  expect(await cleanUp()).toBe(1);
  await sleep(6_000);
  expect((await read(sandbox, '/v1/collections')).body).toEqual({ data: [], nextCursor: null });
});

test('an account that goes on writing is trimmed by its own writes', async () => {
  const { account, sandbox } = await register();
  const address = await createCollection(sandbox.api);
  const first = await requestNft(sandbox.api, address);
  await repeatMint(first.headers.get('Intent-Id'), MAX_SANDBOX_WRITES + 100);
  // With the write that made the collection, and what may have come after the trim.
  const bound = MAX_SANDBOX_WRITES + 1 + 25;
  let kept = Infinity;
  // Which write is followed by a trim is left to chance: one of 128 on average. One run of 2,000 needs more than 3,000
  // writes.
  for (let written = 0; kept > bound && written < 20_000; written += 25) {
    await Promise.all(Array.from({ length: 25 }, () => setMetadata(sandbox, address)));
    kept = await count('intents', account);
  }
  expect(kept).toBeLessThanOrEqual(bound);
  expect((await read(sandbox, `/v1/collections/${address}`)).body).toMatchObject({
    minted: MAX_SANDBOX_WRITES + 101,
  });
});

test('a trim keeps others waiting for few rows, and a collection goes with the last of its writes', async () => {
  const { account, sandbox } = await register();
  const address = await createCollection(sandbox.api);
  const first = await requestNft(sandbox.api, address);
  await repeatMint(first.headers.get('Intent-Id'), 299);
  await age(account);
  const minted: number[] = [];
  let trims = 0;
  for (let trimmed = await trim(account); trimmed > 0; trimmed = await trim(account)) {
    expect(trimmed).toBeLessThanOrEqual(256);
    trims += 1;
    const { status, body } = await read(sandbox, `/v1/collections/${address}`);
    minted.push(status === 404 ? 0 : (body as { minted: number }).minted);
  }
  expect([trims, minted]).toEqual([2, [300, 0]]);
  expect(await count('tokens', account)).toBe(0);
});

test('writes to a collection that goes meanwhile are refused, and nobody else has a part in it', async () => {
  const [own, other] = await Promise.all([register(), register()]);
  const address = await createCollection(own.sandbox.api);
  const foreign = await createCollection(other.live.api);
  await age(own.account);
  const { blocker, late } = await db.transaction(async (tx) => {
    await lockAccount(tx, own.account.id);
    expect(await trimSandbox(tx, own.account.id)).toBe(1);
    // Acceptance waits for the account, and what is found until then shares the next transaction.
    const first = requestNft(own.sandbox.api, address);
    await sleep(300);
    const next = [
      requestNft(own.sandbox.api, address),
      setMetadata(own.sandbox, address),
      requestNft(other.live.api, foreign),
    ];
    await sleep(700);
    return { blocker: first, late: Promise.all(next) };
  });
  expect((await blocker).status).toBe(404);
  const [mint, metadata, foreignMint] = await late;
  expect([mint!.status, metadata!.status, foreignMint!.status]).toEqual([404, 404, 201]);
  expect(await count('intents', own.account)).toBe(0);
});

test('an account that is being written for is waited for', async () => {
  const { account, sandbox } = await register();
  await createCollection(sandbox.api);
  await age(account);
  const cleaning = await db.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const deleted = cleanUp();
    await sleep(500);
    expect(await count('intents', account)).toBe(1);
    return { deleted };
  });
  expect(await cleaning.deleted).toBe(1);
});

test('where nothing is too old, the clean-up reads next to nothing', async () => {
  const { sandbox } = await register();
  const first = await requestNft(sandbox.api, await createCollection(sandbox.api));
  await repeatMint(first.headers.get('Intent-Id'), 5_000);
  let reads = Infinity;
  // By the plan for a table of this size, which comes with its statistics; autovacuum may be reading older ones.
  for (let look = 0; look < 20 && reads >= 500; look += 1) {
    await db.raw('analyze intents, accounts');
    reads = await db.transaction((tx) =>
      readsOf(tx, 'intents', async () => expect(await cleanUp(tx)).toBe(0)),
    );
  }
  expect(reads).toBeLessThan(500);
});

test('an account that cannot be trimmed holds up none behind it', async () => {
  const registered = [await register(), await register()];
  for (const { account, sandbox } of registered) {
    await createCollection(sandbox.api);
    await age(account);
  }
  const [refused, behind] = registered
    .map(({ account }) => account)
    .sort((one, other) => (one.id < other.id ? -1 : 1)) as [TestAccount, TestAccount];
  await db.raw(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
  );
  await db.raw(`create trigger refuse before delete on intents for each row
    when (old.account_id = '${refused.id}') execute function refuse()`);
  const clean = createSandboxCleanUp(db);
  const { signal } = new AbortController();
  await expect(clean(signal)).rejects.toThrow('refused');
  expect(await clean(signal)).toBe(1);
  expect([await count('intents', refused), await count('intents', behind)]).toEqual([1, 0]);
  await db.raw('drop function refuse cascade');
  expect(await cleanUp()).toBe(1);
});
