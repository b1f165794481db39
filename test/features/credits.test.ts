import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { installClock } from '../setup/clock.ts';
import {
  createCollection,
  createKey,
  creditsLeft,
  requestBatch,
  requestNft,
  sessionOf,
} from '../../lab/stage/collections.ts';
import { issuedCookie } from '../../lab/stage/credentials.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

interface Minted {
  tokenId: string;
  credits: { cost: number; remaining: number };
}

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const sql = <Row>(text: string, bindings: Record<string, unknown> = {}): Promise<Row[]> =>
  query<Row>(mintmark.service.context.db, text, bindings);
const credits = async (account: TestAccount) =>
  (await sessionOf(mintmark, account).GET('/v1/billing/credits')).data!;
async function waitForQuiet(): Promise<void> {
  const open = () => sql(`select 1 from intents where status in ('queued', 'submitted') or final_at is null`);
  for (let look = 0; look < 200 && (await open()).length > 0; look += 1) await sleep(50);
  expect(await open()).toEqual([]);
}

/**
 * The rows of an account's ledger of credits that hold something, or have committed or given it back; and the credits
 * left.
 */
async function readLedger({ id }: TestAccount, period: string | null = null) {
  const [row] = await sql<Record<'held' | 'committed' | 'released' | 'left' | 'open', number>>(
    `select count(*) filter (where held > 0)::int as held, count(*) filter (where committed > 0)::int as committed,
            count(*) filter (where held + committed = 0)::int as released,
            100 - coalesce(sum(held + committed), 0)::int as left, coalesce(sum(held), 0)::int as open
       from ledger where account_id = :id and meter = 'credits' and period = coalesce(:period::date, period)`,
    { id, period },
  );
  return row!;
}

/** After every test each balance is the sum of its rows, and no settled intent has an open hold. */
afterEach(async () => {
  await waitForQuiet();
  const wrong = await sql(
    `select b.* from balances b join lateral (
       select coalesce(sum(e.held), 0) as held, coalesce(sum(e.committed), 0) as committed
         from ledger e where e.account_id = b.account_id and e.meter = b.meter and e.period = b.period
     ) s on true
     where (b.held, b.committed) is distinct from (s.held, s.committed) or b.held <> 0`,
  );
  expect(wrong).toEqual([]);
});

describe('GET /v1/billing/credits', () => {
  test('returns the month in UTC and the prices of the test network', async () => {
    const now = new Date();
    const monthAt = (offset: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString();
    expect(await credits(await mintmark.register())).toEqual({
      plan: 'BASIC',
      monthlyCredits: 100,
      creditsUsed: 0,
      creditsRemaining: 100,
      periodStart: monthAt(0),
      periodEnd: monthAt(1),
      prices: { createCollection: 5, mint: 1 },
    });
  });

  test('on the main network a collection costs 15 credits, and a mint 1', async () => {
    await mintmark.restart({ NETWORK: 'main' });
    try {
      const alice = await mintmark.register();
      const session = sessionOf(mintmark, alice);
      expect((await credits(alice)).prices).toEqual({ createCollection: 15, mint: 1 });
      const { data } = await session.POST('/v1/collections', { body: { name: 'Main', symbol: 'M' } });
      expect(data).toMatchObject({ credits: { cost: 15, remaining: 85 } });
      const { address } = data as { address: string };
      expect((await requestNft(session, address)).body).toMatchObject({
        credits: { cost: 1, remaining: 84 },
      });
      const { api: sandbox } = await createKey(mintmark, alice, 'sandbox');
      const free = await sandbox.POST('/v1/collections', { body: { name: 'Free', symbol: 'F' } });
      expect(free.data).toMatchObject({ credits: { cost: 0, remaining: 84 } });
      expect(await credits(alice)).toMatchObject({ creditsUsed: 16, creditsRemaining: 84 });
    } finally {
      await mintmark.restart();
    }
  });

  test('credits and the mint quota are separate', async () => {
    const alice = await mintmark.register();
    const address = await createCollection(sessionOf(mintmark, alice));
    const quota = async () => (await alice.api.GET('/stats')).data!.mintsRemaining;
    expect([await creditsLeft(mintmark, alice), await quota()]).toEqual([95, 100]);
    await alice.api.POST('/tokens/{address}/mint', {
      params: { path: { address } },
      body: { owner: RECIPIENT },
    });
    expect([await creditsLeft(mintmark, alice), await quota()]).toEqual([95, 99]);
    await requestNft(sessionOf(mintmark, alice), address);
    expect([await creditsLeft(mintmark, alice), await quota()]).toEqual([94, 99]);
  });
});

describe('the ledger', () => {
  test('with 95 credits, 95 of 200 parallel mints succeed, and the rows add up to the balance', async () => {
    const alice = await mintmark.register();
    const { api } = await createKey(mintmark, alice);
    const address = await createCollection(api);
    expect(await creditsLeft(mintmark, alice)).toBe(95);

    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 200 }, () => requestNft(api, address)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const minted = answers.filter(({ status }) => status === 201).map(({ body }) => body as Minted);
    const refused = answers.filter(({ status }) => status !== 201);
    process.stdout.write(
      `200 parallel mints on 95 credits: ${minted.length} minted, ${refused.length} refused, ${seconds.toFixed(1)} s\n`,
    );

    expect(minted).toHaveLength(95);
    expect(refused.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
      Array.from({ length: 105 }, () => [403, 'QUOTA_EXCEEDED']),
    );
    const numbers = (values: number[]) => values.sort((one, other) => one - other);
    expect(numbers(minted.map(({ tokenId }) => Number(tokenId)))).toEqual(
      Array.from({ length: 95 }, (_, index) => index + 1),
    );
    expect(numbers(minted.map(({ credits: { remaining } }) => remaining))).toEqual(
      Array.from({ length: 95 }, (_, index) => index),
    );
    expect(await chain.erc721(address).getFunction('totalSupply')()).toBe(95n);
    await waitForQuiet();
    expect(await readLedger(alice)).toEqual({ held: 0, committed: 96, released: 0, left: 0, open: 0 });
    expect(await credits(alice)).toMatchObject({ creditsUsed: 100, creditsRemaining: 0 });
    // A refused request is not recorded, and costs nothing.
    const [{ intents }] = (await sql<{ intents: bigint }>(
      'select count(*) as intents from intents where account_id = :accountId',
      { accountId: alice.id },
    )) as [{ intents: bigint }];
    expect(intents).toBe(96n);
  });

  test('a mint that fails on the chain is given back', async () => {
    const alice = await mintmark.register();
    const session = sessionOf(mintmark, alice);
    const address = await createCollection(session);
    expect(await requestNft(session, address, { to: address })).toMatchObject({
      status: 502,
      body: { code: 'CHAIN_ERROR', message: expect.stringContaining('ReceiverRefused') },
    });
    expect(await creditsLeft(mintmark, alice)).toBe(95);
    await waitForQuiet();
    expect(await readLedger(alice)).toEqual({ held: 0, committed: 1, released: 1, left: 95, open: 0 });
  });

  test('an open mint counts as used, and is committed once it is final', async () => {
    const alice = await mintmark.register();
    const session = sessionOf(mintmark, alice);
    const address = await createCollection(session);
    await withoutBlocks(chain, async () => {
      const ask = () =>
        session.POST('/v1/collections/{address}/mint', {
          params: { path: { address }, header: { Prefer: 'respond-async' } },
          body: { to: RECIPIENT },
        });
      const answers = [await ask(), await ask()];
      expect(answers.map(({ response }) => response.status)).toEqual([202, 202]);
      expect(await credits(alice)).toMatchObject({ creditsUsed: 7, creditsRemaining: 93 });
      expect(await readLedger(alice)).toMatchObject({ left: 93, open: 2 });
    });
    await waitForQuiet();
    expect(await readLedger(alice)).toMatchObject({ left: 93, open: 0 });
  });

  test('a replay returns the same credits even when more were spent since', async () => {
    const alice = await mintmark.register();
    const session = sessionOf(mintmark, alice);
    const address = await createCollection(session);
    const key = randomUUID();
    const first = await requestNft(session, address, { key });
    expect(first.body).toMatchObject({ credits: { cost: 1, remaining: 94 } });
    for (let index = 0; index < 3; index += 1) await requestNft(session, address);
    expect((await requestNft(session, address, { key })).body).toEqual(first.body);
    expect(await creditsLeft(mintmark, alice)).toBe(91);
    expect(await chain.erc721(address).getFunction('totalSupply')()).toBe(4n);
  });

  test('the database refuses a balance below zero and one above its grant', async () => {
    const alice = await mintmark.register();
    await createCollection(sessionOf(mintmark, alice));
    await waitForQuiet();
    await expect(
      sql(`update balances set held = held + 96 where account_id = :accountId and meter = 'credits'`, {
        accountId: alice.id,
      }),
    ).rejects.toThrow(/check constraint/);
    // As a second end of a hold would.
    await expect(
      sql(
        `update balances set held = held - 5, committed = committed + 5 where account_id = :accountId and meter = 'credits'`,
        { accountId: alice.id },
      ),
    ).rejects.toThrow(/check constraint/);
  });

  test('a larger plan gives more within the month; a smaller one only refuses what is new', async () => {
    const alice = await mintmark.register();
    const session = sessionOf(mintmark, alice);
    const address = await createCollection(session);
    const items = (count: number) => Array.from({ length: count }, () => ({ to: RECIPIENT }));
    await requestBatch(session, address, items(95));
    expect((await requestNft(session, address)).status).toBe(403);
    await setPlan(mintmark, alice, 'PRO');
    expect(await credits(alice)).toMatchObject({
      plan: 'PRO',
      monthlyCredits: 1_000,
      creditsUsed: 100,
      creditsRemaining: 900,
    });
    expect((await requestNft(session, address)).body).toMatchObject({ credits: { remaining: 899 } });
    await setPlan(mintmark, alice, 'BASIC');
    expect(await credits(alice)).toMatchObject({ creditsUsed: 101, creditsRemaining: 0 });
    expect(await requestNft(session, address)).toMatchObject({
      status: 403,
      body: { code: 'QUOTA_EXCEEDED' },
    });
  });
});

describe('the month', () => {
  test("changes by the database's clock; a hold stays in the month that accepted it", async () => {
    const clock = await installClock(mintmark);
    const alice = await mintmark.register();
    const { api } = await createKey(mintmark, alice);
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1));
    const [first, second] = [
      new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() - 1, 1)),
      new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 1)),
    ];
    const day = (date: Date): string => date.toISOString().slice(0, 10);
    // A session lasts seven days: each month needs a new one. The key has no end.
    const read = async () => {
      const { response } = await mintmark.anonymous.POST('/v1/auth/login', {
        body: { email: alice.email, password: alice.password },
      });
      const cookie = issuedCookie(response);
      return (await createMintmarkClient({ baseUrl: mintmark.url, cookie }).GET('/v1/billing/credits')).data!;
    };

    await clock.set(new Date(next.getTime() - 60_000));
    const address = await createCollection(api);
    expect(
      (await requestBatch(api, address, Array(95).fill({ to: RECIPIENT }) as { to: string }[])).status,
    ).toBe(201);
    expect((await requestNft(api, address)).status).toBe(403);

    await clock.set(next);
    expect(await read()).toMatchObject({
      creditsUsed: 0,
      creditsRemaining: 100,
      periodStart: next.toISOString(),
      periodEnd: second.toISOString(),
    });
    expect((await requestNft(api, address)).body).toMatchObject({ credits: { remaining: 99 } });

    // Accepted in the last minute of a month, confirmed in the next one.
    await clock.set(new Date(second.getTime() - 60_000));
    await withoutBlocks(chain, async () => {
      const { response } = await api.POST('/v1/collections/{address}/mint', {
        params: { path: { address }, header: { Prefer: 'respond-async' } },
        body: { to: RECIPIENT },
      });
      expect(response.status).toBe(202);
      await clock.set(second);
    });
    await waitForQuiet();
    expect(await read()).toMatchObject({ creditsUsed: 0, creditsRemaining: 100 });
    expect(await readLedger(alice, day(first))).toMatchObject({ left: 0, open: 0 });
    expect(await readLedger(alice, day(next))).toEqual({
      ...{ held: 0, committed: 2, released: 0 },
      ...{ left: 98, open: 0 },
    });
    expect(await readLedger(alice, day(second))).toEqual({
      ...{ held: 0, committed: 0, released: 0 },
      ...{ left: 100, open: 0 },
    });
  });
});
