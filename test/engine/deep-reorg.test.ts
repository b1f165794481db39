import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { replaceBlocks, replaceFrom, turnAround } from '../../lab/faults/reorgs.ts';
import { until } from '../setup/until.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { SHORT_TIMINGS } from './timings.ts';

const FINALITY = 3;
/** As deep as the service goes by itself with this finality, and some more. */
const BEYOND = 10 * FINALITY + 64 + 10;

let stand: Stand;
afterEach(() => stand.stop());

async function boot(variables: Record<string, string> = {}, blockTimeSeconds = 0.25): Promise<Stand> {
  const all = { CONFIRMATIONS: String(FINALITY), ...variables };
  stand = await startStand({ blockTimeSeconds }, all, { timings: SHORT_TIMINGS });
  return stand;
}

const sql = <Row>(text: string): Promise<Row[]> => query<Row>(stand.mintmark.service.context.db, text);
const height = async (): Promise<bigint> => BigInt(await stand.anvil.call<Hex>('eth_blockNumber'));

/** The first block above one with a mint that is final. */
async function firstMintBlock(above = 0n): Promise<bigint> {
  const [row] = await sql<{ block: bigint }>(
    `select min(t.block_number) as block from transactions t join transaction_intents m on m.transaction_id = t.id
       join intents i on i.number = m.intent_number
      where i.kind = 'mint' and t.status = 'final' and t.block_number > ${above}`,
  );
  return row!.block;
}

const resolved = (count: number) =>
  stand.waitForRow(`select 1 from deep_reorgs where resolved_at is not null having count(*) = ${count}`);

/** What the ledger says of mints, in their order: what each holds, and what it has committed. */
const quotas = async (): Promise<string[]> =>
  (
    await sql<{ held: number; committed: number }>(
      `select l.held, l.committed from ledger l join intents i on i.number = l.intent_number
        where i.kind = 'mint' and l.meter = 'mints' order by i.number`,
    )
  ).map(({ held, committed }) => `${held} held, ${committed} committed`);
const HELD = '1 held, 0 committed';
const COMMITTED = '0 held, 1 committed';

/** A webhook of the account for all that comes after; nobody receives its messages. */
async function addWebhook({ account }: Target): Promise<void> {
  const { key } = await createKey(stand.mintmark, account);
  const url = 'http://127.0.0.1:1909/hook';
  const { status } = await createAsk(stand.mintmark.url)({ token: key }, 'POST', '/v1/webhooks', { url });
  expect(status).toBe(201);
}

async function eventsOf(intent: string): Promise<string[]> {
  const events = await sql<{ event: string }>(
    `select event from webhook_deliveries where intent_id = '${intent}' order by number`,
  );
  return events.map(({ event }) => event);
}

/** An account with a token, and the block of its deployment behind it for good. */
async function prepareTarget(): Promise<Target> {
  const [target] = await deployTargets([await stand.mintmark.register()]);
  await stand.quiet();
  return target!;
}

describe('a reorg that is deeper than final', () => {
  test.each([1, 2, 3])('of %d times the finality: what it took away is done again, once', async (times) => {
    const { quiet, verdict } = await boot();
    const target = await prepareTarget();
    const log = emptyLog();
    await inParallel(6, 3, () => mintOnce(target, log));
    await quiet();
    const from = await firstMintBlock();
    while ((await height()) < from + BigInt(times * FINALITY) - 1n) await sleep(20);
    await replaceFrom(stand.anvil, from);
    await inParallel(3, 3, () => mintOnce(target, log));
    await resolved(1);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 9, failed: 0 });
    // The token is one of them.
    expect((await target.account.api.GET('/stats')).data).toMatchObject({ mintsUsed: 10 });
    expect(await quotas()).toEqual(Array(9).fill(COMMITTED));
  });

  test('is notified: what is gone as retracted, then as confirmed; and by /ready and the metrics', async () => {
    const { mintmark, quiet, verdict, waitForRow } = await boot({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    const target = await prepareTarget();
    await addWebhook(target);
    const log = emptyLog();
    await mintOnce(target, log);
    await quiet();
    // What is mined again before anybody looks is not notified: nothing changed for its account.
    stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    await replaceFrom(stand.anvil, await firstMintBlock());
    await mintOnce(target, log);
    await waitForRow('select 1 from deep_reorgs where resolved_at is null');
    const { context } = mintmark.service;
    expect(await context.app.readiness()).toEqual([expect.stringContaining('lacks blocks that were final')]);
    const [first, second] = log.acknowledged;
    expect(await context.engine.explain(second!)).toMatchObject({
      cause: expect.stringContaining('lacks blocks that were final'),
      action: expect.stringContaining('Wait'),
    });
    await waitForRow(`select 1 from webhook_deliveries where event = 'intent.retracted'`);
    expect((await quotas())[0]).toBe(HELD);
    stand.proxy.options.faultFor = () => null;
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
    const metrics = await (await fetch(`${mintmark.url}/metrics`)).text();
    expect(metrics).toMatch(/^mintmark_deep_reorgs_total 1$/m);
    expect(await eventsOf(first!)).toEqual(['intent.confirmed', 'intent.retracted', 'intent.confirmed']);
    expect(await quotas()).toEqual([COMMITTED, COMMITTED]);
  });

  test('that leaves a transaction where it is notifies nothing of it', async () => {
    const { anvil, mintmark, quiet, verdict } = await boot({ WEBHOOK_ALLOW_PRIVATE: 'true' }, 1);
    const target = await prepareTarget();
    await addWebhook(target);
    const log = emptyLog();
    await mintOnce(target, log);
    await quiet();
    await replaceBlocks(anvil, mintmark.service.context.db, await firstMintBlock(), []);
    await mintOnce(target, log);
    await resolved(1);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
    const [first] = log.acknowledged;
    expect(await eventsOf(first!)).toEqual(['intent.confirmed']);
    expect(await quotas()).toEqual([COMMITTED, COMMITTED]);
  });

  test('takes a deployment away, and the mints after it', async () => {
    const { mintmark, quiet, verdict } = await boot();
    await prepareTarget();
    const account = await mintmark.register();
    const log = emptyLog();
    const before = await height();
    const [target] = await deployTargets([account]);
    await inParallel(4, 4, () => mintOnce(target!, log));
    await quiet();
    await replaceFrom(stand.anvil, before + 1n);
    await mintmark.service.context.engine.canonicalHead();
    await resolved(1);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 4, failed: 0 });
    const token = await account.api.GET('/tokens/{address}', {
      params: { path: { address: target!.address } },
    });
    expect(token.response.status).toBe(200);
  });

  test('goes on after a restart', async () => {
    const { mintmark, quiet, verdict, waitForRow } = await boot();
    const target = await prepareTarget();
    const log = emptyLog();
    await inParallel(4, 2, () => mintOnce(target, log));
    await quiet();
    await replaceFrom(stand.anvil, await firstMintBlock());
    await mintOnce(target, log);
    await waitForRow('select 1 from deep_reorgs where resolved_at is null');
    await mintmark.restart();
    await resolved(1);
    await mintmark.restart();
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 5, failed: 0 });
  });

  test('lets nobody cancel what it took away', async () => {
    const { proxy, quiet, verdict } = await boot();
    const target = await prepareTarget();
    const log = emptyLog();
    await mintOnce(target, log);
    await quiet();
    const [intent] = log.acknowledged;
    // What is sent again goes nowhere for now.
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    await replaceFrom(stand.anvil, await firstMintBlock());
    await mintOnce(target, log);
    await stand.waitForRow(`select 1 from intents where id = '${intent}' and status = 'submitted'`);
    const { response } = await target.account.api.POST('/intents/{id}/cancel', {
      params: { path: { id: intent! } },
    });
    expect(response.status).toBe(409);
    proxy.options.faultFor = () => null;
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
  });
});

test('a failure that a deep reorg turns into a success is charged and notified', async () => {
  const { anvil, mintmark, verdict, waitForRow } = await boot({ CONFIRMATIONS: '12' }, 1);
  const { db } = mintmark.service.context;
  const account = await mintmark.register();
  const log = emptyLog();
  await turnAround({ anvil, db, account, log }, 'failure');
  await anvil.call('anvil_mine', ['0xc']);
  const [failed] = await waitForRow<{ id: string; block: bigint }>(
    `select i.id, t.block_number as block from intents i
       join transaction_intents m on m.intent_number = i.number join transactions t on t.id = m.transaction_id
      where i.status = 'failed' and t.status = 'final'`,
  );
  // Its quota went to others.
  await query(
    db,
    `update balances set committed = granted - held, archived = granted - held - committed
      where meter = 'mints' and account_id = :id`,
    { id: account.id },
  );
  expect((await account.api.GET('/stats')).data).toMatchObject({ mintsRemaining: 0 });
  await replaceBlocks(anvil, db, failed!.block, []);
  await mintmark.service.context.engine.canonicalHead();
  await waitForRow(
    `select 1 from intents where id = '${failed!.id}' and status = 'confirmed' and error_code is null`,
  );
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  expect((await account.api.GET('/stats')).data).toMatchObject({ mintsRemaining: 0, mintsUsed: 101 });
  expect(await quotas()).toEqual([COMMITTED]);
});

describe('a reorg that is deeper than the service undoes by itself', () => {
  test('waits for a person, and goes on after the command that every refusal names', async () => {
    const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = await boot();
    const target = await prepareTarget();
    const log = emptyLog();
    await mintOnce(target, log);
    await quiet();
    const from = await firstMintBlock();
    await anvil.call('anvil_mine', [`0x${BEYOND.toString(16)}`]);
    await mintOnce(target, log);
    await quiet();
    await replaceFrom(stand.anvil, from);
    await mintOnce(target, log);
    await waitForRow('select 1 from deep_reorgs where needs_person');
    const COMMAND = expect.stringContaining('recover --accept-reorg');
    const [, , third] = log.acknowledged;
    expect(await mintmark.service.context.engine.explain(third!)).toMatchObject({ action: COMMAND });
    // On a machine with other work the chain may be slow to answer.
    const readiness = () => mintmark.service.context.app.readiness();
    await until(async () => (await readiness()).length === 1);
    expect(await readiness()).toEqual([COMMAND]);

    await mintmark.service.stop();
    await expect(mintmark.restart()).rejects.toThrow(/recover --accept-reorg/);
    const cli = createCli({ ...mintmark.environment, RPC_URL: proxy.url });
    expect(await cli.ask('recover', '--accept-reorg')).toMatchObject({ accepted: true, successes: 2 });
    expect(await cli.say('recover', '--accept-reorg')).toContain('There is no reorg');
    await mintmark.restart();
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 3, failed: 0 });
    expect(await sql('select 1 from deep_reorgs where resolved_at is null')).toEqual([]);
  });
});

test('an endpoint that lags behind the last final block for a moment takes nothing back', async () => {
  const { proxy, quiet, verdict } = await boot();
  const target = await prepareTarget();
  const log = emptyLog();
  const old = await height();
  await mintOnce(target, log);
  await quiet();
  let looks = 0;
  proxy.options.before = (method, params) => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') {
      params[0] = toQuantity(old);
      looks += 1;
    }
    return undefined;
  };
  await mintOnce(target, log);
  // It has the last final block, as it is asked for it by its number: that is no reorg.
  while (looks < 20) await sleep(100);
  proxy.options.before = () => undefined;
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
  expect(await sql('select 1 from deep_reorgs')).toEqual([]);
});

const toQuantity = (number: bigint): Hex => `0x${number.toString(16)}`;
