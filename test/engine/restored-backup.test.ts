import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { acceptLoss, beginEpochs, findPendingEpochs } from '../../src/engine/index.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { until } from '../setup/until.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { AnvilOptions } from '../../lab/stage/anvil.ts';
import { countEffects } from '../../lab/faults/operator-events.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { copyDatabase, openTestDb } from '../../lab/stage/database.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';
import { acceptLossOf } from '../setup/epoch-stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

let stand: Stand;

/** As `startStand`, stopped after the test. */
async function boot(node: AnvilOptions, variables?: Record<string, string>): Promise<Stand> {
  stand = await startStand(node, variables, { timings: SHORT_TIMINGS });
  return stand;
}

afterEach(() => stand.stop());

test('a restored backup does not start before the loss is accepted, and then repeats nothing that it knows', async () => {
  const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = await boot({ blockTimeSeconds: 0.25 });
  const { operator } = mintmark.service.context.system;
  const targets = await deployTargets([await mintmark.register()]);
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const known = emptyLog();
  await inParallel(5, 1, () => mintOnce(targets[0]!, known));
  await waitForRow(`select 1 from transactions where status = 'open'`);
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);

  proxy.options.faultFor = () => null;
  await mintmark.restart();
  const log = emptyLog();
  await inParallel(20, 5, () => mintOnce(targets[0]!, log));
  await verdict(log);
  const before = await countEffects(anvil, operator);

  const restored = { DATABASE_URL: backup };
  await expect(mintmark.restart(restored)).rejects.toThrow(/recover --accept-loss/);
  await using db = openTestDb(backup, 1);
  await acceptLoss(db);
  await mintmark.restart(restored);
  await quiet();
  for (const id of known.acknowledged) {
    const { data } = await targets[0]!.account.api.GET('/intents/{id}', { params: { path: { id } } });
    expect(data!.status).toBe('confirmed');
  }
  expect(await countEffects(anvil, operator)).toBe(before);
  await waitForRow('select 1 from operators where raised_in > 0');
  await mintOnce(targets[0]!, emptyLog());
  await quiet();
  expect(await countEffects(anvil, operator)).toBe(before + 1);
});

test('a restored backup is refused, though most of the numbers that it lacks left nothing on the chain', async () => {
  const { mintmark, quiet } = await boot({ blockTimeSeconds: 0.25 });
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  await mintmark.restart();
  await query(mintmark.service.context.db, `select setval('intents_number_seq', 10000)`);
  await mintOnce(target!, emptyLog());
  await quiet();
  await expect(mintmark.restart({ DATABASE_URL: backup })).rejects.toThrow(
    /The chain knows intent 10001, .* "npm run admin -- recover --accept-loss"/,
  );
});

test('bytes that a restored backup lacks have no effect once its epoch has begun, whenever they are mined', async () => {
  const { anvil, proxy, mintmark, quiet, waitForRow } = await boot(
    { blockTimeSeconds: 0.25 },
    { MAX_BATCH: '1' },
  );
  const { operator } = mintmark.service.context.system;
  const [target] = await deployTargets([await mintmark.register()]);
  await quiet();
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  await mintmark.restart();
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await inParallel(2, 2, () => mintOnce(target!, emptyLog()));
  const OPEN = `select a.raw from transactions t join attempts a on a.transaction_id = t.id where t.status = 'open'`;
  await waitForRow(`select 1 from (${OPEN}) open having count(*) = 2`);
  const lost = await query<{ raw: Hex }>(mintmark.service.context.db, `${OPEN} order by t.nonce desc`);
  await mintmark.service.stop();
  const before = await countEffects(anvil, operator);

  proxy.options.faultFor = () => null;
  {
    await using db = openTestDb(backup, 1);
    await beginEpochs(db);
  }
  await mintmark.restart({ DATABASE_URL: backup });
  const { db } = mintmark.service.context;
  await until(async () => (await findPendingEpochs(db)).length === 0);
  // Its raise has the nonce of the first one.
  const hash = await anvil.call('eth_sendRawTransaction', [lost[0]!.raw]);
  const receipt = await until(() =>
    anvil.call<{ status: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  expect(receipt.status).toBe('0x0');
  await mintOnce(target!, emptyLog());
  await quiet();
  expect(await countEffects(anvil, operator)).toBe(before + 1);
});

test('writes of the sandbox take no number of a live one', async () => {
  const { mintmark } = await boot({ blockTimeSeconds: 0.25 });
  const account = await mintmark.register();
  await deployToken(account);
  const sandbox = createAsk(mintmark.url);
  const key = (await createKey(mintmark, account, 'sandbox')).key;
  for (const name of ['One', 'Two'])
    expect((await sandbox({ token: key }, 'POST', '/v1/collections', { name, symbol: 'S' })).status).toBe(
      201,
    );
  await deployToken(account);
  const numbers = await query<{ number: bigint; environment: string }>(
    mintmark.service.context.db,
    'select number, environment from intents order by number',
  );
  expect(numbers).toEqual([
    { number: 1n, environment: 'live' },
    { number: 2n, environment: 'live' },
    { number: 2n ** 62n, environment: 'sandbox' },
    { number: 2n ** 62n + 1n, environment: 'sandbox' },
  ]);
});

test('a restored backup stops where the chain has done an intent beyond the bits that a start looks at', async () => {
  const { anvil, mintmark, quiet } = await boot({ blockTimeSeconds: 0.25 });
  const [target] = await deployTargets([await mintmark.register()]);
  const mint = async (amount: string) => {
    const { response, error } = await target!.account.api.POST('/tokens/{address}/mint', {
      params: { path: { address: target!.address } },
      body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount },
    });
    return { status: response.status, error };
  };
  // Far ahead of all bits that are looked at when the service starts.
  const skip = () => query(mintmark.service.context.db, `select setval('intents_number_seq', 100000)`);
  await quiet();
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  await mintmark.restart();
  await skip();
  expect(await mint('1')).toMatchObject({ status: 200 });

  await mintmark.restart({ DATABASE_URL: backup });
  while ((await fetch(`${mintmark.url}/ready`)).status === 200) await sleep(100);
  await acceptLossOf(backup);
  await anvil.call('evm_increaseTime', [601]);
  while ((await fetch(`${mintmark.url}/ready`)).status !== 200) await sleep(100);
  expect(await mint('2')).toMatchObject({ status: 200 });
  expect((await target!.account.api.GET('/stats')).data!.mintsUsed).toBe(2);
});

test('a restored backup keeps nobody waiting while the endpoint does not search for what the chain did', async () => {
  const { proxy, mintmark, quiet, verdict, waitForRow } = await boot(
    { blockTimeSeconds: 0.25 },
    { MAX_IN_FLIGHT: '1' },
  );
  const targets = await deployTargets([await mintmark.register(), await mintmark.register()]);
  await quiet();
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const log = emptyLog();
  await mintOnce(targets[1]!, log);
  await waitForRow(`select 1 from transactions where status = 'open'`);
  await mintOnce(targets[0]!, log);
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  proxy.options.faultFor = () => null;
  await mintmark.restart();
  await quiet();

  // Endpoints limit how many blocks are searched, and answer for a single one.
  proxy.options.faultFor = (method, [filter]) =>
    method === 'eth_getLogs' && 'fromBlock' in (filter as object) ? 'too-far' : null;
  await mintmark.restart({ DATABASE_URL: backup });
  while (!proxy.counts['too-far']) await sleep(100);
  await mintOnce(targets[1]!, log);
  const ends = () =>
    query<{ status: string }>(
      mintmark.service.context.db,
      `select status from intents where kind = 'mint' order by number`,
    );
  await waitForRow(`select 1 from intents where kind = 'mint' having count(final_at) = 2`);
  expect(await ends()).toEqual([{ status: 'confirmed' }, { status: 'queued' }, { status: 'confirmed' }]);
  proxy.options.faultFor = () => null;
  // The nonce of the second mint is not known to the backup, unless a transaction was made for it in vain.
  const { violations, ...rest } = await verdict(log);
  expect(rest).toMatchObject({ acknowledged: 3, failed: 0 });
  expect(
    violations.filter((violation) => violation !== '1 transactions wait behind a missing nonce'),
  ).toEqual([]);
});

test('an intent that the chain did since the backup can neither be cancelled nor fails while the chain is out of reach', async () => {
  stand = await boot({});
  const { proxy, mintmark, verdict, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const { api } = target!.account;
  const [done, other] = [emptyLog(), emptyLog()];
  await restoreQueued(stand, () => mintOnce(target!, done));
  const [id] = done.acknowledged;
  const { response, error } = await api.POST('/intents/{id}/cancel', { params: { path: { id: id! } } });
  expect([response.status, error?.code]).toEqual([409, 'CONFLICT']);

  await mintOnce(target!, other);
  proxy.options.faultFor = () => 'drop';
  await letLanesGo(mintmark);
  const failed = await waitForRow<{ id: string }>(`select id from intents where status = 'failed'`);
  expect(failed.map((intent) => intent.id)).toEqual([...other.acknowledged]);
  proxy.options.faultFor = () => null;
  // The deployment and the mint.
  expect(await verdict(done)).toMatchObject({ ...FLAWLESS, acknowledged: 1, confirmed: 2, failed: 1 });
  expect((await api.GET('/stats')).data!.mintsUsed).toBe(2);
});

/**
 * Lets the service do what `write` asks for, and starts it again over a copy in which that is still queued. The lanes
 * of the copy stand still until `letLanesGo`.
 */
async function restoreQueued({ mintmark, quiet }: Stand, write: () => Promise<void>): Promise<void> {
  await quiet();
  await query(
    mintmark.service.context.db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
  await write();
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  await mintmark.restart();
  await letLanesGo(mintmark);
  await quiet();
  await mintmark.restart({ DATABASE_URL: backup });
}

const letLanesGo = ({ service }: TestService) =>
  query(service.context.db, `update lanes set lease_until = '-infinity'`);
