import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cleanUp } from '../../src/db/clean-up.ts';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import { makeCredential } from '../../lab/stage/credentials.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let db: Db;
let alice: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  ({ db } = mintmark.service.context);
  alice = await mintmark.register();
});

afterAll(() => mintmark?.stop());

/** Runs the job now, which is otherwise scheduled every five minutes. */
async function runCleanUp(): Promise<void> {
  await query(db, `select graphile_worker.add_job('clean-up')`);
  for (let look = 0; look < 300; look += 1) {
    const rows = await query(db, `select 1 from graphile_worker.jobs where task_identifier = 'clean-up'`);
    if (rows.length === 0) return;
    await sleep(50);
  }
  throw new Error('the clean-up did not end');
}

const names = async (sql: string): Promise<string[]> =>
  (await query<{ name: string }>(db, sql)).map(({ name }) => name).sort();

test('both scheduled jobs are registered', async () => {
  for (let look = 0; look < 1_200; look += 1) {
    if ((await query(db, 'select 1 from graphile_worker._private_known_crontabs')).length === 2) break;
    await sleep(50);
  }
  expect(await names('select identifier as name from graphile_worker._private_known_crontabs')).toEqual([
    'clean-up',
    'free-jobs',
  ]);
});

test('deletes what has expired, and nothing else', async () => {
  const old: string[] = [];
  const kept: string[] = [];
  for (const kind of ['session', 'access_token', 'api_key'] as const) {
    for (const state of ['valid', 'expired', 'revoked'] as const) {
      const { id } = await makeCredential(db, alice.id, kind, { state });
      (state === 'expired' && kind !== 'api_key' ? old : kept).push(id);
    }
  }

  const hour = 3_600_000;
  for (const [key, expire] of [
    ['over', Date.now() - hour],
    ['running', Date.now() + hour],
  ] as const) {
    await query(db, 'insert into login_attempts (key, points, expire) values (:key, 1, :expire)', {
      key,
      expire,
    });
  }

  const address = await deployToken(alice);
  const keyOf = async (key: string): Promise<void> => {
    expect((await requestMint(alice, address, { key })).status).toBe(200);
  };
  await keyOf('old');
  await keyOf('new');
  await keyOf('old but without a verdict until now');
  await query(
    db,
    `update intents set final_at = now() - interval '25 hours'
      where number = (select intent_number from idempotency_records where key = 'old')`,
  );
  const records: [string, number, object | null][] = [
    ['answer, old', 25, {}],
    ['answer, new', 23, {}],
  ];
  for (const [key, hours, answer] of records) {
    await query(
      db,
      `insert into idempotency_records (account_id, environment, key, request_hash, answer, created_at)
       values (:aliceId, 'live', :key, :requestHash, :answer::jsonb, now() - :hours * interval '1 hour')`,
      { aliceId: alice.id, key, requestHash: randomBytes(32), answer: JSON.stringify(answer), hours },
    );
  }
  await query(
    db,
    `update idempotency_records set created_at = now() - interval '25 hours' where key like 'old%'`,
  );

  const webhook = async (deleted: boolean, days: number): Promise<string> => {
    const id = randomUUID();
    await query(
      db,
      `insert into webhooks (id, account_id, environment, url, events, enabled, secret, deleted_at)
       values (:id, :aliceId, 'live', 'https://receiver.invalid/', '{intent.failed}', :enabled, :secret, :deletedAt)`,
      {
        id,
        aliceId: alice.id,
        enabled: !deleted,
        secret: deleted ? null : Buffer.alloc(60),
        deletedAt: deleted ? new Date() : null,
      },
    );
    await query(
      db,
      `insert into webhook_deliveries (id, webhook_id, account_id, event, payload, status, created_at, expires_at)
       select :deliveryId, id, account_id, :event, '{}', 'delivered', now() - :days * interval '1 day', now() + (30 - :days) * interval '1 day'
         from webhooks where id = :id`,
      { deliveryId: randomUUID(), id, event: `${days} days`, days },
    );
    return id;
  };
  const living = await webhook(false, 31);
  const recent = await webhook(true, 29);
  await webhook(true, 32);

  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, status, final_at, created_at)
     values (gen_random_uuid(), :aliceId, 'sandbox', 'mint', decode(repeat('0a', 20), 'hex'), 'confirmed', now(), now() - interval '31 days')`,
    { aliceId: alice.id },
  );

  await runCleanUp();

  const ids = await names(`select id::text as name from credentials`);
  expect(ids.filter((id) => old.includes(id))).toEqual([]);
  expect(kept.filter((id) => !ids.includes(id))).toEqual([]);
  expect(await names(`select key as name from login_attempts where key in ('over', 'running')`)).toEqual([
    'running',
  ]);
  expect(await names('select key as name from idempotency_records')).toEqual([
    'answer, new',
    'new',
    'old but without a verdict until now',
  ]);
  expect(await names('select event as name from webhook_deliveries')).toEqual(['29 days']);
  expect(await names('select id::text as name from webhooks')).toEqual([living, recent].sort());
  // Intents are kept but those of the sandbox: the ledger refers to them.
  expect((await query(db, 'select 1 from intents')).length).toBe(4);
});

test('deletes in batches of 1,000, and leaves the rest when the service stops', async () => {
  const batches: number[] = [];
  let left = 2_500;
  const some = async (_db: Db, limit: number): Promise<number> => {
    const taken = Math.min(left, limit);
    batches.push(taken);
    left -= taken;
    return taken;
  };
  expect(await cleanUp(db, [some], new AbortController().signal)).toBe(2_500);
  expect(batches).toEqual([1_000, 1_000, 500]);
  left = 2_500;
  expect(await cleanUp(db, [some], AbortSignal.abort())).toBe(0);
});
