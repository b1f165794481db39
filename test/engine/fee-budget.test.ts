import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { storeFees } from '../../src/engine/store/fees.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

const ETHER = 10n ** 18n;
const MAX_FEES_PER_DAY = 2n * ETHER;

let stand: Stand;
let one: Target;
let other: Target;

async function start(fundsLookMs: number): Promise<void> {
  stand = await startStand(
    { blockTimeSeconds: 0.25 },
    { MAX_FEES_PER_DAY: '2' },
    { timings: { ...SHORT_TIMINGS, fundsLookMs } },
  );
  const { mintmark } = stand;
  const accounts = [await mintmark.register(), await mintmark.register()];
  [one, other] = (await deployTargets(accounts)) as [Target, Target];
  await stand.quiet();
}

/** The same, with the fees known of what was sent so far. */
async function startPriced(): Promise<void> {
  await start(200);
  await untilPriced();
}

afterEach(() => stand.stop());

const database = () => stand.mintmark.service.context.db;
const UNPRICED = `select 1 from transactions where fee is null and status <> 'displaced'`;

/** Waits until every transaction is final, and its fee known. */
async function untilPriced(): Promise<void> {
  await stand.quiet();
  await stand.waitForRow(`select 1 where not exists (${UNPRICED})`);
}

const readBalance = async (): Promise<bigint> =>
  BigInt(await stand.anvil.call<string>('eth_getBalance', [embeddedAccounts[0].address, 'latest']));

/** Waits until a turn of the lane has begun: it asks what is left of the fees after the signer's balance. */
async function untilTurn(): Promise<void> {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  stand.proxy.endpoint.layers.unshift((request, forward) => {
    if (request.method === 'eth_getBalance') begin();
    return forward(request);
  });
  await begun;
}

const feesToday = () => stand.mintmark.service.context.engine.feesToday();

/** Makes the fees of the day what they are not: as if other transactions had cost that. */
const spend = (wei: bigint): Promise<unknown> =>
  query(
    database(),
    `insert into fees_per_day (day, wei) values ((now() at time zone 'utc')::date, :wei)
     on conflict (day) do update set wei = fees_per_day.wei + excluded.wei`,
    { wei: String(wei) },
  );

/** Lets a day pass for all that was signed so far. */
async function passDay(): Promise<void> {
  await query(database(), `update transactions set created_at = created_at - interval '1 day'`);
  // Two days: a fee that was just read may have made the row of yesterday.
  await query(database(), `update fees_per_day set day = day - 2`);
}

async function readReady(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${stand.mintmark.url}/ready`);
  return { status: response.status, text: await response.text() };
}

async function untilReady(isReady: boolean): Promise<string> {
  for (let look = 0; look < 300; look += 1) {
    const { status, text } = await readReady();
    if ((status === 200) === isReady) return text;
    await sleep(100);
  }
  throw new Error(`/ready stays as it is: ${(await readReady()).text}`);
}

const statuses = () =>
  query<{ status: string }>(database(), `select status from intents where kind = 'mint' order by number`);

test('the fees of a day are what the signers paid for what they signed, each once', async () => {
  await startPriced();
  const [balance, fees] = [await readBalance(), await feesToday()];
  for (let mints = 0; mints < 3; mints += 1)
    expect(await requestMint(one.account, one.address)).toMatchObject({ status: 200 });
  await untilPriced();
  expect((await feesToday()) - fees).toBe(balance - (await readBalance()));
  const [known] = await query<{ id: bigint }>(database(), 'select max(id) as id from transactions');
  await storeFees(database(), [{ id: known!.id, wei: ETHER }]);
  expect((await feesToday()) - fees).toBe(balance - (await readBalance()));
  const metrics = await (await fetch(`${stand.mintmark.url}/metrics`)).text();
  const shown = Number(/^mintmark_fees_today_ether (\S+)$/m.exec(metrics)?.[1]);
  expect(shown).toBeCloseTo(Number(await feesToday()) / 1e18, 12);
  expect(metrics).toMatch(/^mintmark_max_fees_per_day_ether 2$/m);
  await passDay();
  expect(await feesToday()).toBe(0n);
});

test('what L1 takes for the data counts too', async () => {
  await startPriced();
  const [balance, fees] = [await readBalance(), await feesToday()];
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    const answer = await forward(request);
    if (request.method !== 'eth_getTransactionReceipt' || typeof answer !== 'object') return answer;
    return { result: { ...(answer.result as object), l1Fee: '0x3e8' } };
  });
  expect(await requestMint(one.account, one.address)).toMatchObject({ status: 200 });
  await untilPriced();
  expect((await feesToday()) - fees).toBe(balance - (await readBalance()) + 1_000n);
});

test('what is in flight, or has no receipt, counts as it is expected to cost', async () => {
  await startPriced();
  const before = await feesToday();
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await mintOnce(one, emptyLog());
  await stand.waitForRow(UNPRICED);
  const expected = (await feesToday()) - before;
  expect(expected).toBeGreaterThan(0n);
  stand.proxy.options.faultFor = (method) => (method === 'eth_getTransactionReceipt' ? 'null-receipt' : null);
  await stand.quiet();
  await stand.waitForRow(`${UNPRICED} and status = 'final'`);
  await sleep(500);
  expect((await feesToday()) - before).toBe(expected);
  stand.proxy.options.faultFor = () => null;
  await untilPriced();
  const paid = (await feesToday()) - before;
  expect(Number(expected) / Number(paid)).toBeGreaterThan(0.5);
  expect(Number(expected) / Number(paid)).toBeLessThan(2.5);
});

test('once the fees of the day are spent, writes wait, and all are done on the next day', async () => {
  await startPriced();
  await spend(MAX_FEES_PER_DAY);
  // Before anything waits.
  expect(await untilReady(false)).toContain('MAX_FEES_PER_DAY');
  const before = await readBalance();
  const log = emptyLog();
  for (const target of [one, other, one]) await mintOnce(target, log);
  const [first] = log.acknowledged;
  const { data } = await one.account.api.GET('/intents/{id}', { params: { path: { id: first! } } });
  expect(data!.waiting!.cause).toContain('MAX_FEES_PER_DAY');
  await sleep(1_000);
  expect((await statuses()).map(({ status }) => status)).toEqual(['queued', 'queued', 'queued']);
  expect(await readBalance()).toBe(before);
  await passDay();
  await untilReady(true);
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 3, failed: 0 });
});

test('the last twentieth of the fees of the day is for brakes that no other control of their contract waits before', async () => {
  await startPriced();
  await spend((MAX_FEES_PER_DAY * 96n) / 100n);
  await untilReady(false);
  const log = emptyLog();
  await mintOnce(one, log);
  const apply = async (
    path: `/tokens/{address}/${'pause' | 'unpause' | 'lock-transfers'}`,
    { account, address }: Target,
  ): Promise<string> => {
    const { response } = await account.api.POST(path, {
      params: { path: { address }, header: { Prefer: 'respond-async' } },
    });
    expect(response.status).toBe(202);
    return response.headers.get('Intent-Id')!;
  };
  await waitForStatus(one.account, await apply('/tokens/{address}/lock-transfers', one), 'confirmed');
  await waitForStatus(other.account, await apply('/tokens/{address}/pause', other), 'confirmed');
  const behind = [
    await apply('/tokens/{address}/unpause', other),
    await apply('/tokens/{address}/lock-transfers', other),
  ];
  await sleep(1_000);
  for (const id of behind) await waitForStatus(other.account, id, 'queued');
  // Past the last of it nothing is sent, brakes included.
  await spend(MAX_FEES_PER_DAY);
  await untilTurn();
  const { response } = await one.account.api.POST('/tokens/{address}/freeze', {
    params: { path: { address: one.address }, header: { Prefer: 'respond-async' } },
    body: { account: `0x${'fe'.repeat(20)}` },
  });
  const late = response.headers.get('Intent-Id')!;
  await sleep(1_000);
  await waitForStatus(one.account, late, 'queued');
  await passDay();
  await untilReady(true);
  await waitForStatus(one.account, late, 'confirmed');
  for (const id of behind) await waitForStatus(other.account, id, 'confirmed');
  expect(await stand.verdict(log)).toMatchObject({ acknowledged: 1, failed: 0 });
});

test('what is in flight bids more although the fees of the day are spent', async () => {
  await startPriced();
  stand.proxy.options.withholdFirstBids = true;
  const log = emptyLog();
  await mintOnce(one, log);
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  await spend(MAX_FEES_PER_DAY);
  await mintOnce(other, log);
  await stand.waitForRow(`select 1 from intents where kind = 'mint' and status = 'confirmed'`);
  expect((await statuses()).map(({ status }) => status)).toEqual(['confirmed', 'queued']);
  await passDay();
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});

test('a nonce is freed although the fees of the day are spent', async () => {
  await startPriced();
  stand.proxy.options.withholdFirstBids = true;
  const log = emptyLog();
  await mintOnce(one, log);
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);
  await spend(MAX_FEES_PER_DAY);
  // It fits into no block any more.
  await stand.anvil.call('evm_setBlockGasLimit', ['0x186a0']);
  await stand.waitForRow(`select 1 from transactions where is_noop and status = 'final'`);
  await stand.anvil.call('evm_setBlockGasLimit', ['0x1c9c380']);
  await stand.waitForRow(`select 1 from intents where kind = 'mint' and status = 'queued'`);
  await passDay();
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
});

test('a lane asks what was spent before each transaction', async () => {
  await start(600_000);
  await spend(MAX_FEES_PER_DAY);
  const log = emptyLog();
  for (const target of [one, other]) await mintOnce(target, log);
  await stand.waitForRow(`select 1 from lanes where trouble = 'budget'`);
  expect((await statuses()).map(({ status }) => status)).toEqual(['queued', 'queued']);
  await passDay();
  expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});
