import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { query } from '../../src/db/client.ts';
import { countLedgerErrors, waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { emptyLog } from '../../lab/load/load.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { installClock } from '../setup/clock.ts';
import { createCollection, createKey, sessionOf } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

const DAY_OF_BASIC = 50_000_000;
const DAY_MS = 86_400_000;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;

beforeAll(async () => {
  mintmark = await startTestService({ GAS_PER_DAY: 'PRO=123456789' });
  chain = openChain(mintmark);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const db = () => mintmark.service.context.db;
const quiet = async (): Promise<void> => expect(await waitForQuiet(db(), 60_000)).toBe(0);
const gasOf = async ({ api }: TestAccount) => (await api.GET('/stats/gas')).data!;

/** After every test what was charged is what the chain says. */
afterEach(async () => {
  await quiet();
  expect(
    await judge(db(), mintmark.chain.url, mintmark.service.context.system.operator, emptyLog()),
  ).toMatchObject(FLAWLESS);
});

const putMetadata = (
  account: TestAccount,
  address: string,
  bytes = 10,
  headers: Record<string, string> = {},
): Promise<TestAnswer> =>
  createAsk(mintmark.url)(
    account,
    'PUT',
    `/tokens/${address}/metadata`,
    {
      name: 'n',
      description: 'd',
      attributes: Object.fromEntries(
        Array.from({ length: Math.ceil(bytes / 1_000) }, (_, index) => [
          `k${index}`,
          randomBytes(Math.min(bytes - index * 1_000, 1_000) / 2).toString('hex'),
        ]),
      ),
    },
    headers,
  );
const ASYNC = { Prefer: 'respond-async' };

const setDay = (account: TestAccount, gas: number | null) =>
  query(db(), 'update accounts set gas_per_day = :gas where id = :id', { gas, id: account.id });

async function gasUsed(transaction: string): Promise<number> {
  const receipt = await chain.provider.getTransactionReceipt(transaction);
  return Number(receipt!.gasUsed);
}

const ledgerOf = (intentId: string) =>
  query(
    db(),
    `select l.meter, l.held, l.committed from ledger l join intents i on i.number = l.intent_number where i.id = :intentId`,
    { intentId },
  );

describe('GET /stats/gas', () => {
  test('returns the day in UTC, and what the plan or the operator gives', async () => {
    const account = await mintmark.register();
    const gas = await gasOf(account);
    expect(gas).toMatchObject({ used: 0, held: 0, remaining: DAY_OF_BASIC });
    const { periodStart, periodEnd } = gas;
    expect(periodStart).toMatch(/T00:00:00\.000Z$/);
    expect(Date.parse(periodEnd) - Date.parse(periodStart)).toBe(DAY_MS);
    const [now] = await query<{ day: string }>(db(), `select (now() at time zone 'utc')::date::text as day`);
    expect(periodStart.slice(0, 10)).toBe(now!.day);
    await setPlan(mintmark, account, 'PRO');
    expect(await gasOf(account)).toMatchObject({ remaining: 123_456_789 });
    await setDay(account, 7);
    expect(await gasOf(account)).toMatchObject({ used: 0, held: 0, remaining: 7 });
  });
});

describe('gas is held by estimate, and charged as it was used', () => {
  test('a free write that is alone in its transaction: all of that', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    let intent = '';
    await withoutBlocks(chain, async (mine) => {
      intent = (await putMetadata(account, coin, 1_000, ASYNC)).intentId!;
      const { used, held, remaining } = await gasOf(account);
      expect(held).toBeGreaterThan(250_000);
      expect({ used, remaining }).toEqual({ used: 0, remaining: DAY_OF_BASIC - held });
      expect(await ledgerOf(intent)).toEqual([{ meter: 'gas', held, committed: 0 }]);
      await waitForStatus(account, intent, 'submitted');
      await mine();
    });
    const { transaction } = await waitForStatus(account, intent, 'confirmed');
    await quiet();
    const used = await gasUsed(transaction!.hash);
    expect(await gasOf(account)).toMatchObject({ used, held: 0, remaining: DAY_OF_BASIC - used });
    expect(await ledgerOf(intent)).toEqual([{ meter: 'gas', held: 0, committed: used }]);
  });

  test('free writes that share a transaction share it, the larger ones more of it', async () => {
    const accounts = await Promise.all([mintmark.register(), mintmark.register()]);
    const coins = await Promise.all(accounts.map((account) => deployToken(account)));
    let intents: string[] = [];
    await withoutBlocks(chain, async (mine) => {
      const [small, large] = await Promise.all([
        putMetadata(accounts[0], coins[0]!, 10, ASYNC),
        putMetadata(accounts[1], coins[1]!, 4_000, ASYNC),
      ]);
      intents = [small.intentId!, large.intentId!];
      await Promise.all(intents.map((intent, index) => waitForStatus(accounts[index]!, intent, 'submitted')));
      await mine();
    });
    const settled = await Promise.all(
      intents.map((intent, index) => waitForStatus(accounts[index]!, intent, 'confirmed')),
    );
    await quiet();
    const [small, large] = await Promise.all(accounts.map(async (account) => (await gasOf(account)).used));
    const hashes = new Set(settled.map(({ transaction }) => transaction!.hash));
    const all = (await Promise.all([...hashes].map(gasUsed))).reduce((sum, gas) => sum + gas, 0);
    // Of each transaction less than one gas for each call is lost in rounding.
    expect(all - (small! + large!)).toBeGreaterThanOrEqual(0);
    expect(all - (small! + large!)).toBeLessThan(2);
    expect(large!).toBeGreaterThan(5 * small!);
  });

  test('mints and deployments within their own: nothing', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    await Promise.all(Array.from({ length: 5 }, () => requestMint(account, coin)));
    await quiet();
    expect(await gasOf(account)).toMatchObject({ used: 0, held: 0, remaining: DAY_OF_BASIC });
    expect(
      await query(db(), `select 1 from balances where meter = 'gas' and account_id = :id`, {
        id: account.id,
      }),
    ).toEqual([]);
  });

  /** push3 loops; loop: 26 gas; then ERC-721's answer */
  const burning = (gas: number): string =>
    `0x62${Math.floor(gas / 26)
      .toString(16)
      .padStart(6, '0')}5b600190038060045763150b7a0260e01b5f5260205ff3`;
  const receiverWith = async (code: string): Promise<string> => {
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    await chain.provider.send('hardhat_setCode', [receiver, code]);
    return receiver;
  };

  test('mints whose receivers use all that they may: nothing; one that wants more fails, and nothing is sent', async () => {
    const account = await mintmark.register();
    const art = await deployToken(account, 'ERC721');
    const receiver = await receiverWith(burning(249_000));
    for (let mints = 0; mints < 3; mints += 1)
      expect(await requestMint(account, art, { owner: receiver, amount: null })).toMatchObject({
        status: 200,
      });
    const greedy = await receiverWith(burning(300_000));
    expect(await requestMint(account, art, { owner: greedy, amount: null })).toMatchObject({ status: 502 });
    await quiet();
    expect(await gasOf(account)).toMatchObject({ used: 0, held: 0 });
  });

  test('a mint with metadata to such a receiver: no more than the metadata held', async () => {
    const account = await mintmark.register();
    const address = await createCollection(sessionOf(mintmark, account));
    const receiver = await receiverWith(burning(249_000));
    const metadata = { name: 'n', description: randomBytes(500).toString('hex') };
    let held = 0;
    await withoutBlocks(chain, async (mine) => {
      const answer = await createAsk(mintmark.url)(
        { token: (await createKey(mintmark, account)).key },
        'POST',
        `/v1/collections/${address}/mint`,
        { to: receiver, metadata },
        ASYNC,
      );
      expect(answer.status).toBe(202);
      await waitForStatus(account, answer.intentId!, 'submitted');
      ({ held } = await gasOf(account));
      await mine();
    });
    await quiet();
    expect(await gasOf(account)).toMatchObject({ used: held, held: 0 });
  });

  test('a mint that fails on the chain: all of it, since its quota comes back', async () => {
    const account = await mintmark.register();
    const art = await deployToken(account, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    let [intent, hash] = ['', ''];
    await withoutBlocks(chain, async (mine) => {
      intent = (await requestMint(account, art, { owner: receiver, amount: null, prefer: 'respond-async' }))
        .intentId!;
      hash = (await waitForStatus(account, intent, 'submitted')).transaction!.hash;
      await makeRevert(chain, receiver, 'no');
      await mine();
    });
    await waitForStatus(account, intent, 'failed');
    await quiet();
    expect((await account.api.GET('/stats')).data).toMatchObject({ mintsUsed: 1 });
    const used = await gasUsed(hash);
    expect(await gasOf(account)).toMatchObject({ used, held: 0 });

    // Once failures have used more than the day has, mints wait for the next one as well.
    await setDay(account, used);
    expect((await requestMint(account, art, { amount: null })).status).toBe(200);
    await setDay(account, used - 1);
    expect(await requestMint(account, art, { amount: null })).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED' },
    });
    expect((await account.api.GET('/stats')).data).toMatchObject({ mintsUsed: 2 });
  });

  test('a mint that burnt its cap on the chain, and was not sent again: what it burnt', async () => {
    const account = await mintmark.register();
    const art = await deployToken(account, 'ERC721');
    const receiver = getAddress(`0x${randomBytes(20).toString('hex')}`);
    let [intent, hash] = ['', ''];
    await withoutBlocks(chain, async (mine) => {
      intent = (await requestMint(account, art, { owner: receiver, amount: null, prefer: 'respond-async' }))
        .intentId!;
      hash = (await waitForStatus(account, intent, 'submitted')).transaction!.hash;
      // jumpdest push0 jump: burns all that it gets.
      await chain.provider.send('hardhat_setCode', [receiver, '0x5b5f56']);
      await mine();
    });
    await waitForStatus(account, intent, 'failed');
    await quiet();
    expect(await gasOf(account)).toMatchObject({ used: await gasUsed(hash), held: 0 });
    expect((await account.api.GET('/stats')).data).toMatchObject({ mintsUsed: 1 });
  });

  test('what is cancelled, refused in the simulation, or changes nothing: nothing', async () => {
    const account = await mintmark.register();
    const [coin, other] = [await deployToken(account), await deployToken(account)];
    const pause = (address: string) =>
      account.api.POST('/tokens/{address}/pause', { params: { path: { address } } });
    expect((await pause(coin)).response.status).toBe(200);
    await quiet();
    const before = await gasOf(account);
    expect((await pause(coin)).response.status).toBe(200);
    expect(await putMetadata(account, coin)).toMatchObject({ status: 502 });
    await withoutBlocks(chain, async () => {
      const { intentId } = await putMetadata(account, other, 10, ASYNC);
      const cancel = await account.api.POST('/intents/{id}/cancel', { params: { path: { id: intentId! } } });
      // Unless it was sent before.
      expect([200, 409]).toContain(cancel.response.status);
      if (cancel.response.status === 200) expect(await gasOf(account)).toEqual(before);
    });
    await quiet();
    const { key } = await createKey(mintmark, account, 'sandbox');
    const ask = createAsk(mintmark.url);
    const { body } = await ask({ token: key }, 'POST', '/v1/collections', { name: 'Sand', symbol: 'S' });
    const path = `/v1/collections/${(body as { address: string }).address}/metadata`;
    const used = await gasOf(account);
    expect(await ask({ token: key }, 'PUT', path, { name: 'n', description: 'd' })).toMatchObject({
      status: 200,
    });
    expect(await gasOf(account)).toEqual(used);
  });

  test('metadata of a collection: as those of a token', async () => {
    const account = await mintmark.register();
    const session = sessionOf(mintmark, account);
    const address = await createCollection(session);
    const { response } = await session.PUT('/v1/collections/{address}/metadata', {
      params: { path: { address } },
      body: { name: 'n', description: 'd' },
    });
    expect(response.status).toBe(200);
    await quiet();
    expect(await gasOf(account)).toMatchObject({
      used: await gasUsed(response.headers.get('Transaction-Hash')!),
    });
  });
});

describe('past the gas of the day', () => {
  test('a free write gets 429, says gas and when it frees, and leaves nothing behind; a mint goes on', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    await quiet();
    await setDay(account, 100_000);
    const key = 'the same key';
    const refused = await putMetadata(account, coin, 1_000, { 'Idempotency-Key': key });
    expect(refused).toMatchObject({ status: 429, intentId: null, body: { code: 'RATE_LIMITED' } });
    const seconds = Number(refused.headers.get('Retry-After'));
    const { periodEnd, held } = await gasOf(account);
    expect(held).toBe(0);
    expect(Math.abs(Date.parse(periodEnd) - Date.now() - seconds * 1_000)).toBeLessThan(60_000);
    const { message } = refused.body as { message: string };
    expect(message).toMatch(/^The gas of this day \(UTC\) does not suffice: 0 of 100000 are used or held/);
    expect(message).toContain(periodEnd);
    expect(
      await query(db(), `select 1 from intents where account_id = :id`, { id: account.id }),
    ).toHaveLength(1);
    expect((await requestMint(account, coin)).status).toBe(200);
    await setDay(account, null);
    expect((await putMetadata(account, coin, 1_000, { 'Idempotency-Key': key })).status).toBe(200);
  });

  test('of many at once exactly as many go as there is gas for', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    await quiet();
    await withoutBlocks(chain, async () => {
      await putMetadata(account, coin, 10, ASYNC);
      const { held } = await gasOf(account);
      await setDay(account, 6 * held + 1);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => putMetadata(account, coin, 10, ASYNC)),
      );
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(5);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
      expect(await gasOf(account)).toMatchObject({ held: 6 * held, remaining: 1 });
    });
  });

  test('brakes go on: 20 of tokens and 100 freezes, which are charged nothing; a free write and the next brake do not', async () => {
    const account = await mintmark.register();
    const [coin, art] = await Promise.all([deployToken(account), deployToken(account, 'ERC721')]);
    await quiet();
    await setDay(account, 0);
    const ask = (address: string, verb: string, body: unknown = {}) =>
      createAsk(mintmark.url)(
        account,
        verb === 'mint-limit' ? 'PUT' : 'POST',
        `/tokens/${address}/${verb}`,
        body,
        ASYNC,
      );
    const expectAll = async (answers: Promise<TestAnswer>[], status: number): Promise<void> => {
      const statuses = (await Promise.all(answers)).map((answer) => answer.status);
      expect(statuses).toEqual(Array(answers.length).fill(status));
    };
    await withoutBlocks(chain, async () => {
      // While one is under way the state to come is not known, so that none of them counts as done already.
      const verbs = ['pause', 'lock-transfers', 'close-mint', 'pause', 'lock-transfers'];
      await expectAll(
        [...verbs, ...verbs, ...verbs].map((verb) => ask(coin, verb)),
        202,
      );
      await expectAll(
        [5, 4, 3, 2, 1].map((perDay) => ask(art, 'mint-limit', { perDay: `${perDay}` })),
        202,
      );
      await expectAll(
        [ask(coin, 'unpause'), ask(coin, 'unlock-transfers'), putMetadata(account, coin, 10, ASYNC)],
        429,
      );
      const refused = await ask(coin, 'pause');
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
      expect((refused.body as { message: string }).message).toContain('20 pauses');
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
      const freezes = Array.from({ length: 101 }, (_, index) =>
        getAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`),
      );
      await expectAll(
        freezes.slice(1).map((one) => ask(art, 'freeze', { account: one })),
        202,
      );
      await expectAll([ask(art, 'freeze', { account: freezes[0] })], 429);
    });
    await quiet();
    expect(await gasOf(account)).toMatchObject({ used: 0, held: 0 });
    expect(
      (await account.api.GET('/tokens/{address}', { params: { path: { address: coin } } })).data,
    ).toMatchObject({
      paused: true,
      transferLocked: true,
    });
  });

  test('brakes draw on the day first', async () => {
    const account = await mintmark.register();
    const coin = await deployToken(account);
    const answer = await createAsk(mintmark.url)(account, 'POST', `/tokens/${coin}/pause`, {});
    expect(answer.status).toBe(200);
    await quiet();
    expect(await gasOf(account)).toMatchObject({
      used: await gasUsed(answer.headers.get('Transaction-Hash')!),
      held: 0,
    });
  });

  test('100 free writes of 8 KiB burn no more than the day has, and hold up no mint of another account', async () => {
    const [attacker, other] = await Promise.all([mintmark.register(), mintmark.register()]);
    const [art, coin] = await Promise.all([deployToken(attacker), deployToken(other)]);
    const writes = Array.from({ length: 100 }, () => putMetadata(attacker, art, 7_900, ASYNC));
    const mint = requestMint(other, coin);
    const answers = await Promise.all(writes);
    expect((await mint).status).toBe(200);
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([...statuses.keys()].sort()).toEqual([202, 429]);
    expect(statuses.get(202)!.length).toBeLessThan(30);
    await quiet();
    const { used, held } = await gasOf(attacker);
    expect(held).toBe(0);
    expect(used).toBeLessThanOrEqual(DAY_OF_BASIC);
    expect(used).toBeGreaterThan(DAY_OF_BASIC / 2);
    expect(await gasOf(other)).toMatchObject({ used: 0, held: 0 });
  });
});

/** The last test: it sets the clock of the database forward, so that credentials expire. */
test('the next day brings new gas, and what was accepted the day before is charged to that', async () => {
  // In this session's time zone it is the next day already; the day in UTC counts.
  await query(
    db(),
    `alter database ${new URL(mintmark.databaseUrl).pathname.slice(1)} set timezone = 'Pacific/Kiritimati'`,
  );
  const clock = await installClock(mintmark);
  await clock.set(new Date('2031-12-30T20:00:00Z'));
  const account = await mintmark.register();
  const coin = await deployToken(account);
  await quiet();
  let intent = '';
  await withoutBlocks(chain, async (mine) => {
    intent = (await putMetadata(account, coin, 10, ASYNC)).intentId!;
    const first = await gasOf(account);
    expect(first).toMatchObject({
      periodStart: '2031-12-30T00:00:00.000Z',
      periodEnd: '2031-12-31T00:00:00.000Z',
    });
    await setDay(account, first.held);
    const { headers, status } = await putMetadata(account, coin);
    expect({ status, after: Math.round(Number(headers.get('Retry-After')) / 3_600) }).toEqual({
      status: 429,
      after: 4,
    });
    await waitForStatus(account, intent, 'submitted');
    await clock.set(new Date('2031-12-31T00:00:01Z'));
    expect(await gasOf(account)).toMatchObject({ used: 0, held: 0, periodStart: '2031-12-31T00:00:00.000Z' });
    await mine();
  });
  await waitForStatus(account, intent, 'confirmed');
  await quiet();
  expect(await gasOf(account)).toMatchObject({ used: 0, held: 0 });
  expect(
    await query(
      db(),
      `select period, held, committed > 0 as used from balances where meter = 'gas' and account_id = :id`,
      { id: account.id },
    ),
  ).toEqual([{ period: '2031-12-30', held: 0n, used: true }]);
  expect(await countLedgerErrors(db())).toBe(0);
});
