import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { EngineTimings } from '../../src/engine/index.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { AnvilOptions } from '../../lab/stage/anvil.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import { randomFaults } from '../../lab/proxies/rpc-proxy.ts';
import type { RpcProxyOptions } from '../../lab/proxies/rpc-proxy.ts';
import type { Stand } from '../setup/stand.ts';
import { startStand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

// A run of bad luck is slow, and still right.
let stand: Stand;

/** As `startStand`, stopped after the test. */
async function boot(
  node: AnvilOptions,
  options: Partial<RpcProxyOptions> = {},
  timings: Partial<EngineTimings> = SHORT_TIMINGS,
): Promise<Stand> {
  stand = await startStand(node, {}, { ...options, timings });
  return stand;
}

afterEach(() => stand.stop());

describe('an RPC endpoint', () => {
  test('that drops, doubles, delays or falsifies a fifth of all calls: nothing is lost, doubled or wrongly failed', async () => {
    const { proxy, mintmark, verdict } = await boot({ blockTimeSeconds: 0.25 });
    const targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
    proxy.options.faultFor = randomFaults(0.2);
    const log = emptyLog();
    await inParallel(60, 3, async (index) => {
      await mintOnce(targets[index % 2]!, log);
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    const judgement = await verdict(log);
    expect(judgement).toMatchObject({ ...FLAWLESS, acknowledged: 60, failed: 0 });
    expect(Object.values(proxy.counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2);
  });

  test('that loses its replies to eth_sendRawTransaction: the transactions count as sent', async () => {
    const { proxy, mintmark, verdict } = await boot({ blockTimeSeconds: 0.25 });
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'drop-after-forward' : null);
    const log = emptyLog();
    await inParallel(10, 5, () => mintOnce(targets[0]!, log));
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
  });
});

describe('a transaction that is not mined', () => {
  test('gets another attempt that geth would take, with the same calldata', async () => {
    const { proxy, mintmark, verdict } = await boot(
      { blockTimeSeconds: 0.25 },
      { gethReplacement: true },
      // The first bid would be underpriced when it is sent again beside the second one.
      { ...SHORT_TIMINGS, resendMs: 60_000 },
    );
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.withholdFirstBids = true;
    const log = emptyLog();
    await mintOnce(targets[0]!, log);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    expect(proxy.counts['withhold']).toBe(1);
    expect(proxy.counts['underpriced']).toBeUndefined();
  });

  test('whose nonce another program used is given up, and its intents go again', async () => {
    const { anvil, proxy, mintmark, verdict, waitForRow } = await boot({ blockTimeSeconds: 0.25 });
    const { db } = mintmark.service.context;
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const log = emptyLog();
    await mintOnce(targets[0]!, log);
    const [open] = await waitForRow<{ nonce: bigint; signer: Hex }>(
      `select nonce, signer from transactions where status = 'open'`,
    );
    const from = open!.signer;
    const nonce = `0x${open!.nonce.toString(16)}`;
    const other = await anvil.call<string>('eth_sendTransaction', [{ from, to: from, nonce }]);
    // Before it is mined, what is sent again would replace it.
    while ((await anvil.call('eth_getTransactionReceipt', [other])) === null) await sleep(50);
    proxy.options.faultFor = () => null;
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    const rows = await query<{ status: string }>(db, 'select status from transactions order by id');
    expect(rows.map(({ status }) => status)).toContain('displaced');
  });
});
