import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { createMintmarkClient } from '../../generated/client.ts';
import { query } from '../../src/db/client.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { installClock } from '../setup/clock.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestErc20, requestMint } from '../../lab/stage/tokens.ts';

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
const stats = async ({ api }: TestAccount) => (await api.GET('/stats')).data!;

async function usage(account: TestAccount) {
  const { mintsUsed, mintsRemaining } = await stats(account);
  return { mintsUsed, mintsRemaining };
}

async function waitForQuiet(): Promise<void> {
  const open = () => sql(`select 1 from intents where status in ('queued', 'submitted') or final_at is null`);
  for (let look = 0; look < 6_000 && (await open()).length > 0; look += 1) await sleep(50);
  expect(await open()).toEqual([]);
}

/** After every test each balance is the sum of its ledger, and no settled intent has an open hold. */
afterEach(async () => {
  await waitForQuiet();
  const books = await sql<Record<'held' | 'committed' | 'sumHeld' | 'sumCommitted', unknown>>(
    `select b.held, b.committed, coalesce(sum(l.held), 0)::bigint as "sumHeld",
            coalesce(sum(l.committed), 0)::bigint as "sumCommitted"
       from balances b left join ledger l using (account_id, meter, period)
      where b.meter <> 'gas' group by b.account_id, b.meter, b.period`,
  );
  expect(books.length).toBeGreaterThan(0);
  for (const book of books)
    expect(book).toEqual({ ...book, held: 0n, sumHeld: 0n, sumCommitted: book.committed });
  const openHolds = await sql(`select intent_number from ledger where meter <> 'gas' and held > 0`);
  expect(openHolds).toEqual([]);
  const unpaid = await sql(
    `select i.number from intents i left join ledger c on c.intent_number = i.number and c.meter <> 'gas' and c.committed > 0
      where (i.status = 'confirmed') <> (c.committed is not null)`,
  );
  expect(unpaid).toEqual([]);
});

describe('GET /stats', () => {
  test('returns the plan and the calendar month in UTC, by the clock of the database', async () => {
    const account = await mintmark.register();
    await deployToken(account);
    const [month] = await sql<{ start: Date; end: Date }>(
      `select date_trunc('month', now(), 'UTC') as start,
              date_trunc('month', now(), 'UTC') + interval '1 month' as end`,
    );
    expect(await stats(account)).toEqual({
      plan: 'BASIC',
      mintsUsed: 1,
      mintsRemaining: 99,
      periodStart: month!.start.toISOString(),
      periodEnd: month!.end.toISOString(),
    });
    expect(month!.start.toISOString()).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
  });

  test('a deployment and a mint count one each, for their own account only', async () => {
    const account = await mintmark.register();
    const neighbour = await mintmark.register();
    expect(await usage(account)).toEqual({ mintsUsed: 0, mintsRemaining: 100 });
    const coin = await deployToken(account);
    expect(await usage(account)).toEqual({ mintsUsed: 1, mintsRemaining: 99 });
    // An amount is not a number of mints.
    await requestMint(account, coin, { amount: '1000000000000000000' });
    await requestMint(account, coin);
    expect(await usage(account)).toEqual({ mintsUsed: 3, mintsRemaining: 97 });
    expect(await usage(neighbour)).toEqual({ mintsUsed: 0, mintsRemaining: 100 });
  });

  test.each([
    ['BASIC', 100],
    ['PRO', 1_000],
    ['PRO_PLUS', 10_000],
  ] as const)('plan %s starts a month with %i', async (plan, mintsRemaining) => {
    const account = await mintmark.register();
    await setPlan(mintmark, account, plan);
    expect(await stats(account)).toMatchObject({ plan, mintsUsed: 0, mintsRemaining });
    await deployToken(account);
    expect(await stats(account)).toMatchObject({ plan, mintsUsed: 1, mintsRemaining: mintsRemaining - 1 });
  });
});

describe('the quota', () => {
  test('of 120 concurrent mints exactly as many succeed as the quota has left', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        requestMint(account, coin, index % 2 ? {} : { prefer: 'respond-async' }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused).toHaveLength(21);
    for (const { body, intentId } of refused) {
      expect({ body, intentId }).toMatchObject({ body: { code: 'QUOTA_EXCEEDED' }, intentId: null });
    }
    expect(answers.filter(({ status }) => status === 200 || status === 202)).toHaveLength(99);
    await waitForQuiet();
    expect(await chain.erc20(coin).getFunction('balanceOf')(RECIPIENT)).toBe(99n);
    expect(await usage(account)).toEqual({ mintsUsed: 100, mintsRemaining: 0 });
    for (const { status, body } of [await requestMint(account, coin), await requestErc20(account)]) {
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'QUOTA_EXCEEDED' } });
    }
  });

  test('a used-up quota of one account does not affect concurrent requests of others', async () => {
    const [poor, rich] = await Promise.all([mintmark.register(), mintmark.register()]);
    const [poorCoin, richCoin] = await Promise.all([deployToken(poor), deployToken(rich)]);
    await Promise.all(Array.from({ length: 99 }, () => requestMint(poor, poorCoin)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 ? requestMint(rich, richCoin) : requestMint(poor, poorCoin),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 2 ? 200 : 403)));
    expect(await usage(rich)).toEqual({ mintsUsed: 11, mintsRemaining: 89 });
  });

  test('an open mint counts as used; a failed one is given back', async () => {
    const account = await mintmark.register();
    const art = await deployToken(account, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    await withoutBlocks(chain, async () => {
      const answers = await Promise.all(
        Array.from({ length: 99 }, (_, index) =>
          requestMint(account, art, {
            owner: index % 9 ? RECIPIENT : receiver,
            amount: null,
            prefer: 'respond-async',
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      expect(await usage(account)).toEqual({ mintsUsed: 100, mintsRemaining: 0 });
      expect((await requestMint(account, art, { amount: null })).status).toBe(403);
      await Promise.all(answers.map(({ intentId }) => waitForStatus(account, intentId!, 'submitted')));
      await makeRevert(chain, receiver, 'no');
    });
    await waitForQuiet();
    expect(await usage(account)).toEqual({ mintsUsed: 89, mintsRemaining: 11 });
    expect(await chain.erc721(art).getFunction('totalSupply')()).toBe(88n);
    const again = await Promise.all(
      Array.from({ length: 15 }, () => requestMint(account, art, { amount: null })),
    );
    expect(again.filter(({ status }) => status === 200)).toHaveLength(11);
    expect(await usage(account)).toEqual({ mintsUsed: 100, mintsRemaining: 0 });
  });

  test('a larger plan raises the quota at once; after a downgrade 0 remain and not fewer', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    await Promise.all(Array.from({ length: 99 }, () => requestMint(account, coin)));
    expect((await requestMint(account, coin)).status).toBe(403);

    await setPlan(mintmark, account, 'PRO');
    expect(await usage(account)).toEqual({ mintsUsed: 100, mintsRemaining: 900 });
    const more = await Promise.all(Array.from({ length: 5 }, () => requestMint(account, coin)));
    expect(more.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await usage(account)).toEqual({ mintsUsed: 105, mintsRemaining: 895 });

    await setPlan(mintmark, account, 'BASIC');
    expect(await usage(account)).toEqual({ mintsUsed: 105, mintsRemaining: 0 });
    expect(await requestMint(account, coin)).toMatchObject({ status: 403, body: { code: 'QUOTA_EXCEEDED' } });
  });

  test('a mint that was accepted before a downgrade still happens', async () => {
    const account = await mintmark.register();
    await setPlan(mintmark, account, 'PRO');
    const coin = await deployToken(account);
    await withoutBlocks(chain, async () => {
      const answers = await Promise.all(
        Array.from({ length: 110 }, () => requestMint(account, coin, { prefer: 'respond-async' })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      await setPlan(mintmark, account, 'BASIC');
      expect((await requestMint(account, coin)).status).toBe(403);
    });
    await waitForQuiet();
    expect(await usage(account)).toEqual({ mintsUsed: 111, mintsRemaining: 0 });
    expect(await chain.erc20(coin).getFunction('balanceOf')(RECIPIENT)).toBe(110n);
  });
});

describe('the database itself', () => {
  test.each([
    ['a negative balance', 'update balances set committed = -1'],
    ['a negative hold', 'update balances set held = held - 1'],
    ['more used than granted', 'update balances set committed = granted + 1'],
    ['a period that is no month', "update balances set period = '2020-01-02'"],
    ['an unknown meter', "update balances set meter = 'favours'"],
    ['more archived than committed', 'update balances set archived = committed + 1'],
    ['a hold of nothing', 'update intents set held_amount = 0'],
    ['a hold of no meter', 'update intents set held_meter = null'],
    ['a hold of gas that is none', 'update intents set held_gas = 0'],
    ['a charge of no gas', 'update intents set charged_gas = 0'],
    [
      'a hold of what calls nothing',
      `insert into intents (id, account_id, environment, kind, contract, status, final_at, held_gas)
       select gen_random_uuid(), id, 'live', 'pause', decode(repeat('0a', 20), 'hex'), 'confirmed', now(), 1 from accounts limit 1`,
    ],
  ])('refuses %s', async (_case, statement) => {
    await expect(sql(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^23(505|514)$/) });
  });
});

/** The last tests: they set the clock of the database forward, so that credentials expire. */
describe('the end of a month', () => {
  const signInAgain = async (account: TestAccount): Promise<TestAccount> => {
    const { data } = await mintmark.anonymous.POST('/auth/signin', {
      body: { email: account.email, password: account.password },
    });
    return { ...account, api: createMintmarkClient({ baseUrl: mintmark.url, token: data!.token }) };
  };

  test('a hold belongs to the month in which it was accepted, even when its verdict comes later', async () => {
    // In this session's time zone it is next year already; the month in UTC counts.
    await sql(
      `alter database ${new URL(mintmark.databaseUrl).pathname.slice(1)} set timezone = 'Pacific/Kiritimati'`,
    );
    const clock = await installClock(mintmark);
    await clock.set(new Date('2031-12-31T20:00:00Z'));
    let account = await mintmark.register();
    const art = await deployToken(account, 'ERC721');
    const december = { periodStart: '2031-12-01T00:00:00.000Z', periodEnd: '2032-01-01T00:00:00.000Z' };
    expect(await stats(account)).toEqual({ plan: 'BASIC', mintsUsed: 1, mintsRemaining: 99, ...december });

    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    await withoutBlocks(chain, async (mine) => {
      const answers = await Promise.all(
        [RECIPIENT, receiver, RECIPIENT].map((owner) =>
          requestMint(account, art, { owner, amount: null, prefer: 'respond-async' }),
        ),
      );
      await Promise.all(answers.map(({ intentId }) => waitForStatus(account, intentId!, 'submitted')));
      expect(await stats(account)).toMatchObject({ mintsUsed: 4, ...december });
      await makeRevert(chain, receiver, 'no');

      await clock.set(new Date('2032-01-01T00:00:01Z'));
      expect(await stats(account)).toEqual({
        plan: 'BASIC',
        mintsUsed: 0,
        mintsRemaining: 100,
        periodStart: '2032-01-01T00:00:00.000Z',
        periodEnd: '2032-02-01T00:00:00.000Z',
      });
      await mine();
    });
    await waitForQuiet();
    expect((await requestMint(account, art, { amount: null })).status).toBe(200);
    expect(await usage(account)).toEqual({ mintsUsed: 1, mintsRemaining: 99 });

    // Twelve hours later the access token has expired, by the same clock.
    await clock.set(new Date('2032-01-01T09:00:00Z'));
    expect((await account.api.GET('/stats')).response.status).toBe(401);
    account = await signInAgain(account);
    expect(await usage(account)).toEqual({ mintsUsed: 1, mintsRemaining: 99 });
    expect(
      await sql(
        `select period, granted, held, committed from balances where account_id = :accountId and meter = 'mints' order by period`,
        { accountId: account.id },
      ),
    ).toEqual([
      { period: '2031-12-01', granted: 100n, held: 0n, committed: 3n },
      { period: '2032-01-01', granted: 100n, held: 0n, committed: 1n },
    ]);
    expect(
      await sql(
        `select period, held, committed from ledger where account_id = :accountId and meter = 'mints' and committed = 0`,
        { accountId: account.id },
      ),
    ).toEqual([{ period: '2031-12-01', held: 0, committed: 0 }]);
  });
});
