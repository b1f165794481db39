import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Transaction, Wallet } from 'ethers';
import type { JsonRpcProvider } from 'ethers';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { buryLane } from '../../src/engine/index.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { deploySystem } from '../../lab/stage/system.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { FLAWLESS, judge } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { RpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { createCli } from '../../lab/stage/cli.ts';

const [lost, admin, next, last, spare] = embeddedAccounts;
const stack = new AsyncDisposableStack();

let mintmark: TestService;
let anvil: Anvil;
let proxy: RpcProxy;
let provider: JsonRpcProvider;

beforeAll(async () => {
  anvil = stack.use(await startAnvil({ blockTimeSeconds: 0.25 }));
  provider = stack.use(openProvider(anvil.url, { cacheTimeout: -1 }));
  await deploySystem(await provider.getSigner(admin.address), lost.address);
  proxy = stack.use(await startRpcProxy({ target: anvil.url, faultFor: () => null }));
  mintmark = stack.use(
    await startTestService(
      { OPERATOR_ADMIN: admin.address, CONFIRMATIONS: '2' },
      { rpcUrl: proxy.url, timings: SHORT_TIMINGS },
    ),
  );
});

afterAll(() => stack.disposeAsync());

const isOfLost = (raw: string): boolean => Transaction.from(raw).from === lost.address;

test('a lost key is given up: another signer sends what it sent and was not mined, and it happens once', async () => {
  const { environment } = mintmark;
  const cli = createCli({ ...environment, SIGNER_KEY: admin.privateKey });
  const log = emptyLog();
  const [target] = await deployTargets([await mintmark.register()]);
  await cli.say('signers', 'grant', next.address);

  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const { intentId } = await requestMint(target!.account, target!.address, { prefer: 'respond-async' });
  await waitForStatus(target!.account, intentId!, 'submitted');
  log.acknowledged.add(intentId!);
  expect(await cli.refuse('signers', 'bury', lost.address)).toContain('A process holds the lane');

  await mintmark.restart({ SIGNER_KEY: next.privateKey });
  // Other lanes send it again: a pool that has dropped it takes it as little from them.
  proxy.options.faultFor = (method, [raw]) =>
    method === 'eth_sendRawTransaction' && isOfLost(raw as string) ? 'withhold' : null;
  const { action } = await cli.ask<{ action: string }>('intents', 'show', intentId!);
  expect(action).toContain(`signers bury ${lost.address.toLowerCase()}`);

  const { db, rpc, system } = mintmark.service.context;
  // Whoever holds a lane loses it at times, and takes it again: the first look finds nobody.
  const hold = (until: string) =>
    query(db, `update lanes set lease_until = ${until} where signer = :signer`, {
      signer: toBytes(lost.address),
    });
  const [refused] = await Promise.all([
    cli.refuse('signers', 'bury', lost.address),
    sleep(1_000).then(() => hold(`now() + interval '9 seconds'`)),
  ]);
  expect(refused).toContain('A process holds the lane');
  await hold(`'-infinity'`);
  // What was signed may still have an effect while its signer has the role.
  const config = { operator: system.operator, formerOperators: [] };
  const followUps = { settled: async () => undefined };
  const parts = { db, rpc, config, log: createLogger('silent'), followUps };
  expect(await buryLane(parts, lost.address)).toBeNull();
  expect(await cli.ask('signers', 'bury', lost.address)).toMatchObject({ isBuried: true, transactions: 1 });
  await waitForStatus(target!.account, intentId!, 'confirmed');
  await mintOnce(target!, log);
  // Somebody finds the bytes and sends them: without the role they have no effect.
  const bytes = await query<{ raw: Hex }>(
    db,
    `select a.raw from attempts a join transactions t on t.id = a.transaction_id where t.status = 'displaced'`,
  );
  expect(bytes).not.toEqual([]);
  for (const { raw } of bytes) await provider.send('eth_sendRawTransaction', [raw]).catch(() => undefined);
  expect(await waitForQuiet(db, 60_000)).toBe(0);
  expect(await judge(db, mintmark.chain.url, system.operator, log)).toMatchObject({
    ...FLAWLESS,
    acknowledged: 2,
    failed: 0,
  });

  expect(await cli.refuse('signers', 'grant', lost.address)).toMatch(/is buried/);
  expect(await cli.ask('lanes')).toContainEqual(
    expect.objectContaining({ signer: lost.address, state: 'buried', open: 0 }),
  );
  expect(await cli.refuse('signers', 'bury', Wallet.createRandom().address)).toBe('This signer has no lane');
});

test('a lost key is given up where nothing is under way, so that nobody else has the chain read', async () => {
  const cli = createCli({ ...mintmark.environment, SIGNER_KEY: admin.privateKey });
  await cli.say('signers', 'grant', last.address);
  await mintmark.restart({ SIGNER_KEY: last.privateKey });
  expect(await cli.ask('signers', 'bury', next.address)).toMatchObject({ isBuried: true, transactions: 0 });
});

test('a lost key is given up where the chain makes blocks for transactions alone, and nobody sends any', async () => {
  const cli = createCli({ ...mintmark.environment, SIGNER_KEY: admin.privateKey });
  await cli.say('signers', 'grant', spare.address);
  await mintmark.restart({ SIGNER_KEY: spare.privateKey });
  await anvil.call('evm_setIntervalMining', [0]);
  await anvil.call('evm_setAutomine', [true]);
  expect(await cli.ask('signers', 'bury', last.address)).toMatchObject({ isBuried: true, transactions: 0 });
});
