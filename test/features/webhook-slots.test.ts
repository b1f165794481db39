import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { insertDeliveries } from '../../src/features/webhooks/delivery-store.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Received, Receiver } from '../../lab/stage/receiver.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { openTestDb } from '../../lab/stage/database.ts';

/** What a receiver that hangs must not delay. It times out after fifteen seconds. */
const PROMPT_MS = 8_000;

interface Owner {
  accountId: string;
  key: string;
  webhook: string;
}

let mintmark: TestService;
let receiver: Receiver;
/** Answers that a receiver owes. */
let owed: ServerResponse[] = [];

beforeAll(async () => {
  mintmark = await startTestService({ WEBHOOK_ALLOW_PRIVATE: 'true' });
});

afterAll(() => mintmark?.stop());

beforeEach(async () => {
  owed = [];
  receiver = await startReceiver();
  receiver.answer((response, { path }) => {
    if (path === 'quick') response.writeHead(204).end();
    else owed.push(response);
  });
});

afterEach(async () => {
  await query(mintmark.service.context.db, 'truncate webhook_deliveries, graphile_worker._private_jobs');
  await receiver.stop();
});

const ask = (...request: Parameters<ReturnType<typeof createAsk>>) => createAsk(mintmark.url)(...request);

async function createOwner(path: string): Promise<Owner> {
  const account = await mintmark.register();
  const { key } = await createKey(mintmark, account);
  const { body } = await ask({ token: key }, 'POST', '/v1/webhooks', { url: receiver.urlOf(path) });
  return { accountId: account.id, key, webhook: `/v1/webhooks/${(body as { id: string }).id}` };
}

const askTest = ({ key, webhook }: Owner, headers?: Record<string, string>) =>
  ask({ token: key }, 'POST', `${webhook}/test`, undefined, headers);

/**
 * Writes so many messages for each of these while no engine runs, as by a process that died then: the next one finds
 * them.
 * @param change is made to the database after that
 */
async function deliverAtOnce(
  owners: readonly Owner[],
  count: number,
  change: (db: Db) => Promise<unknown> = async () => undefined,
): Promise<void> {
  await mintmark.service.stop();
  await using db = openTestDb(mintmark.databaseUrl, 1);
  const events = owners.flatMap(({ accountId }) =>
    Array.from({ length: count }, () => ({
      accountId,
      environment: 'live' as const,
      event: 'intent.confirmed' as const,
      intentId: null,
      payload: JSON.stringify({ type: 'intent.confirmed', timestamp: '', data: { id: randomUUID() } }),
    })),
  );
  await db.transaction((tx) => insertDeliveries(tx, () => undefined, events));
  await change(db);
  await mintmark.restart();
}

const to = (path: string) => (received: Received) => received.path === path;

/** Sends a message to a receiver that answers. Returns after how many milliseconds it came. */
async function timeQuick(owner: Owner): Promise<number> {
  const startedAt = Date.now();
  expect(await askTest(owner)).toMatchObject({ status: 201 });
  await receiver.waitForMessages(1, to('quick'));
  return Date.now() - startedAt;
}

describe('a hundred messages to a receiver that hangs', () => {
  test('have four slots, hold up nobody else, and are delivered once each in the end', async () => {
    const slow = await createOwner('hang');
    const quick = await createOwner('quick');
    await deliverAtOnce([slow], 100);
    await receiver.waitForMessages(4, to('hang'));
    expect(await timeQuick(quick)).toBeLessThan(PROMPT_MS);
    expect(owed).toHaveLength(4);

    receiver.answer((response) => void response.writeHead(204).end());
    for (const response of owed) response.writeHead(204).end();
    await receiver.waitForMessages(100, to('hang'));
    await sleep(1_500);
    const ids = receiver.received.filter(to('hang')).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
    const left = await query(
      mintmark.service.context.db,
      `select status, attempts from webhook_deliveries where status <> 'delivered' or attempts <> 1`,
    );
    expect(left).toEqual([]);
  });
});

describe('the messages of an account', () => {
  test('stand in one line, of which the head alone has a job, and the oldest are given up beyond 5,000', async () => {
    const slow = await createOwner('hang');
    await deliverAtOnce([slow], 5_010);
    const { db } = mintmark.service.context;
    const count = async (sql: string): Promise<number> =>
      (await query<{ count: number }>(db, `select count(*)::int as count from ${sql}`))[0]!.count;
    await receiver.waitForMessages(4, to('hang'));
    for (let look = 0; look < 600; look += 1) {
      if ((await count(`webhook_deliveries where status = 'pending'`)) <= 5_000) break;
      await sleep(50);
    }
    const failed = await query<{ number: bigint; error: string }>(
      db,
      `select number - (select min(number) from webhook_deliveries) as number, error
         from webhook_deliveries where status = 'failed' order by number`,
    );
    expect(failed.length).toBe(10);
    expect(failed.every(({ number }) => number < 14n)).toBe(true);
    // The first one was at its receiver before: what comes of that is told of it.
    expect(failed.map(({ number }) => number)).not.toContain(0n);
    expect(new Set(failed.map(({ error }) => error))).toEqual(
      new Set(['More than 5000 messages of this account waited; this one was among the oldest']),
    );
    expect(await count(`graphile_worker.jobs where task_identifier = 'deliver-webhook'`)).toBeLessThanOrEqual(
      6,
    );
    expect(owed).toHaveLength(4);
  });
});

describe('accounts with slow receivers', () => {
  const slowUntil = async ({ accountId }: Owner): Promise<unknown> => {
    const [row] = await query<{ minutes: number | null }>(
      mintmark.service.context.db,
      `select round(extract(epoch from slow_webhooks_until - now()) / 60)::int as minutes from accounts where id = :accountId`,
      { accountId },
    );
    return row!.minutes;
  };

  test('are those that let an attempt wait for three seconds, for an hour', async () => {
    const slow = await createOwner('slow');
    const quick = await createOwner('quick');
    await timeQuick(quick);
    await askTest(slow);
    await receiver.waitForMessages(1, to('slow'));
    await sleep(3_500);
    owed[0]!.writeHead(204).end();
    for (const end = Date.now() + 20_000; Date.now() < end && (await slowUntil(slow)) === null;)
      await sleep(50);
    expect([await slowUntil(slow), await slowUntil(quick)]).toEqual([60, null]);
  });

  test('share eight slots, however many they are, and however old their messages', async () => {
    const slow: Owner[] = [];
    for (let count = 0; count < 8; count += 1) slow.push(await createOwner('hang'));
    const quick = await createOwner('quick');
    const mark = (db: Db, owners: readonly Owner[]): Promise<unknown> =>
      query(
        db,
        `update accounts set slow_webhooks_until = now() + interval '1 hour' where id = any(:ids::uuid[])`,
        { ids: owners.map(({ accountId }) => accountId) },
      );
    // The messages of the others were written before they are slow.
    await mark(mintmark.service.context.db, slow.slice(4));
    await deliverAtOnce(slow, 5, (db) => mark(db, slow));
    await receiver.waitForMessages(8, to('hang'));
    expect(await timeQuick(quick)).toBeLessThan(PROMPT_MS);
    expect(owed).toHaveLength(8);
  });
});

describe('test events and replays', () => {
  test('are thirty in a minute for an account, and 429 beyond', async () => {
    const owner = await createOwner('quick');
    const other = await createOwner('quick');
    const once = { 'Idempotency-Key': 'once' };
    const first = await askTest(owner, once);
    for (let count = 1; count < 30; count += 1) expect(await askTest(owner)).toMatchObject({ status: 201 });
    const { id } = first.body as { id: string };
    const replay = await ask({ token: owner.key }, 'POST', `${owner.webhook}/deliveries/${id}/replay`);
    for (const refused of [await askTest(owner), replay]) {
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
      const seconds = Number(refused.headers.get('Retry-After'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    // The answer that is kept costs nothing; nor does an account pay for another.
    expect(await askTest(owner, once)).toMatchObject({ status: 201, body: { id } });
    expect(await askTest(other)).toMatchObject({ status: 201 });
  });
});
