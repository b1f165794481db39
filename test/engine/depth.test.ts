import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { JsonRpcProvider, Wallet } from 'ethers';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { replaceFrom } from '../../lab/faults/reorgs.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createMintmarkClient } from '../../generated/client.ts';
import { deployToken } from '../../lab/stage/tokens.ts';

/** Long enough for several looks at the chain. */
const SOME_LOOKS_MS = 1_500;
const TIMINGS = { receiptLookMs: 200, resendMs: 500 };

let stand: Stand;
afterEach(() => stand.stop());

/** A chain whose blocks come with a transaction, or when they are asked for. */
async function boot(confirmations: number): Promise<Stand> {
  stand = await startStand({}, { CONFIRMATIONS: String(confirmations) }, { timings: TIMINGS });
  return stand;
}

const mine = (count: number) => stand.anvil.call('anvil_mine', [`0x${count.toString(16)}`]);

test('with three confirmations a verdict is final in the third block and not before', async () => {
  const { mintmark, quiet } = await boot(3);
  const { db } = mintmark.service.context;
  const [target] = await deployTargets([await mintmark.register()]);
  await mine(3);
  await quiet();
  const mints = () =>
    query<{ status: string; final: boolean }>(
      db,
      `select status, final_at is not null as final from intents where kind = 'mint'`,
    );
  await mintOnce(target!, emptyLog());
  while ((await mints())[0]?.status !== 'confirmed') await sleep(50);
  for (const depth of [1, 2]) {
    await sleep(SOME_LOOKS_MS);
    expect([depth, await mints()]).toEqual([depth, [{ status: 'confirmed', final: false }]]);
    await mine(1);
  }
  await quiet();
  expect(await mints()).toEqual([{ status: 'confirmed', final: true }]);
});

test('a token that a reorg took back is unknown until the chain has it again', async () => {
  const { anvil, proxy, mintmark } = await boot(10);
  const account = await mintmark.register();
  const session = createMintmarkClient({ baseUrl: mintmark.url, cookie: account.cookie });
  const before = BigInt(await anvil.call<string>('eth_blockNumber'));
  const address = await deployToken(account);
  const { data: collection } = await session.POST('/v1/collections', { body: { name: 'Art', symbol: 'A' } });
  const shown = async () => {
    const [tokens, token, collections] = await Promise.all([
      account.api.GET('/tokens'),
      account.api.GET('/tokens/{address}', { params: { path: { address } } }),
      session.GET('/v1/collections'),
    ]);
    return [tokens.data!.data.length, token.response.status, collections.data!.data.length];
  };
  const untilShown = async (expected: readonly number[]): Promise<void> => {
    for (let look = 0; look < 3_000 && String(await shown()) !== String(expected); look += 1)
      await sleep(100);
    expect(await shown()).toEqual(expected);
  };
  expect(collection).toBeDefined();
  // A collection is a token too.
  expect(await shown()).toEqual([2, 200, 1]);

  // What was sent before is lost, and what is sent again goes nowhere for now.
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await replaceFrom(anvil, before + 1n);
  await untilShown([0, 404, 0]);
  proxy.options.faultFor = () => null;
  await untilShown([2, 200, 1]);
});

test('a call that fails at an endpoint whose newest block is an old one has not failed', async () => {
  const { anvil, proxy, mintmark, quiet, verdict } = await boot(1);
  const account = await mintmark.register();
  const address = await deployToken(account, 'ERC20', false);
  await quiet();
  const old = await anvil.call<string>('eth_blockNumber');
  const log = emptyLog();
  const owner = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
  const { response } = await account.api.POST('/tokens/{address}/approve-account', {
    params: { path: { address } },
    body: { account: owner },
  });
  log.acknowledged.add(response.headers.get('Intent-Id')!);
  // Before the approval a mint to this account reverts.
  proxy.options.before = (method, params) => {
    if (method === 'eth_call' && params[1] === 'latest') params[1] = old;
    return undefined;
  };
  await mintOnce({ account, address }, log);
  await sleep(2 * SOME_LOOKS_MS);
  const { db } = mintmark.service.context;
  expect(await query(db, `select status from intents where kind = 'mint'`)).toEqual([{ status: 'queued' }]);
  proxy.options.before = () => undefined;
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});

test('a nonce that another program used is given up when its block is deep enough, and not before', async () => {
  const { anvil, proxy, mintmark, quiet } = await boot(4);
  const { db } = mintmark.service.context;
  const [target] = await deployTargets([await mintmark.register()]);
  await mine(4);
  await quiet();
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await mintOnce(target!, emptyLog());
  await stand.waitForRow(`select 1 from transactions where status = 'open'`);

  const provider = new JsonRpcProvider(anvil.url, undefined, { staticNetwork: true, cacheTimeout: -1 });
  const wallet = new Wallet(embeddedAccounts[0].privateKey, provider);
  await (await wallet.sendTransaction({ to: wallet.address })).wait();
  provider.destroy();
  await stand.waitForRow(`select 1 from transactions where status <> 'open' and mined_hash is null`);
  const states = () => query(db, `select status from transactions where status <> 'final'`);
  for (const depth of [1, 2, 3]) {
    await sleep(SOME_LOOKS_MS);
    expect([depth, await states()]).toEqual([depth, [{ status: 'mined' }]]);
    await mine(1);
  }
  await stand.waitForRow(`select 1 from transactions where status = 'displaced'`);
  proxy.options.faultFor = () => null;
  await stand.waitForRow(`select 1 from intents where kind = 'mint' and status = 'confirmed'`);
});
