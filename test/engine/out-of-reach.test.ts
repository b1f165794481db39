import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startService } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { AnvilOptions } from '../../lab/stage/anvil.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

let stand: Stand;

/** As `startStand`, stopped after the test. */
async function boot(node: AnvilOptions, variables?: Record<string, string>): Promise<Stand> {
  stand = await startStand(node, variables, { timings: SHORT_TIMINGS });
  return stand;
}

afterEach(() => stand.stop());

test('while the chain is out of reach what was never signed fails with 502, a deployment with 503, and costs nothing', async () => {
  const { proxy, mintmark } = await boot({});
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  const key = await createKey(mintmark, account);
  const ask = createAsk(mintmark.url);
  proxy.options.faultFor = () => 'drop';
  const answers = await Promise.all([
    ask(account, 'POST', `/tokens/${target!.address}/mint`, { owner: RECIPIENT, amount: '1' }),
    ask(account, 'POST', '/tokens', { type: 'ERC20', name: 'Coin', symbol: 'C' }),
    ask({ token: key.key }, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' }),
  ]);
  expect(answers).toMatchObject([
    { status: 502, body: { code: 'CHAIN_ERROR' } },
    { status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } },
    { status: 503, body: { code: 'DEPLOY_UNAVAILABLE' } },
  ]);
  expect((await account.api.GET('/stats')).data!.mintsUsed).toBe(1);
});

test('a replica whose endpoint is out of reach fails nothing while the lane of another one is taken again', async () => {
  const { anvil, mintmark, verdict } = await boot(
    { blockTimeSeconds: 0.25 },
    { MAX_BATCH: '1', MAX_IN_FLIGHT: '1' },
  );
  const targets = await deployTargets([await mintmark.register()]);
  const variables = { ...mintmark.environment, OPERATOR_ADMIN: embeddedAccounts[0].address };
  await using broken = await startRpcProxy({ target: anvil.url, faultFor: () => null });
  const config = readConfig(['--role', 'engine'], { ...variables, RPC_URL: broken.url });
  // What it notes, the other process takes back at its next look.
  const outOfReachMs = 10_000;
  await using replica = await startService(config, createLogger('silent'), { timings: SHORT_TIMINGS });
  // As whoever asks whether it is ready; while another process holds the lane, the replica asks nothing by itself.
  const { rpc } = replica.context;
  using probes = new DisposableStack();
  probes.use(setInterval(() => void rpc.call('eth_chainId', []).catch(() => undefined), 100));
  broken.options.faultFor = () => 'drop';
  while (rpc.unreachableForMs() < outOfReachMs) await sleep(100);
  const log = emptyLog();
  const loseLane = async (): Promise<void> => {
    const { db } = mintmark.service.context;
    for (const end = performance.now() + 4_000; performance.now() < end; await sleep(50))
      await query(db, 'update lanes set term = term + 1, lease_until = least(lease_until, now())');
  };
  await Promise.all([loseLane(), inParallel(25, 5, () => mintOnce(targets[0]!, log))]);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 25, failed: 0 });
});
