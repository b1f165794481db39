import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { FLAWLESS } from '../faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../faults/load.ts';
import { randomFaults } from '../faults/rpc-proxy.ts';
import type { Stand } from '../faults/stand.ts';
import { startStand } from '../faults/stand.ts';

// Blocks come once a second and what is lost is sent again after five: a run of bad luck is slow, and still right.
jest.setTimeout(240_000);

let stand: Stand;

/** As `startStand`, ended after the test. */
async function boot(...how: Parameters<typeof startStand>): Promise<Stand> {
  stand = await startStand(...how);
  return stand;
}

afterEach(() => stand.stop());

describe('an RPC endpoint that misbehaves', () => {
  test('drops, doubles, delays and lies about receipts for a fifth of all calls: nothing lost, doubled or wrongly failed', async () => {
    const { proxy, mintmark, verdict } = await boot({ blockTimeSeconds: 1 });
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

  test('a reply to eth_sendRawTransaction that is lost means "assume sent"', async () => {
    const { proxy, mintmark, verdict } = await boot({ blockTimeSeconds: 1 });
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'drop-after-forward' : null);
    const log = emptyLog();
    await inParallel(10, 5, () => mintOnce(targets[0]!, log));
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 10, failed: 0 });
  });

  test('out of reach for over 10 s: what was never signed fails with 502 and costs nothing', async () => {
    const { proxy, mintmark } = await boot({});
    const account = await mintmark.register();
    const [target] = await deployTargets([account]);
    proxy.options.faultFor = () => 'drop';
    const { response, error } = await account.api.POST('/tokens/{address}/mint', {
      params: { path: { address: target!.address } },
      body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' },
    });
    expect(response.status).toBe(502);
    expect(error).toMatchObject({ code: 'CHAIN_ERROR' });
    expect((await account.api.GET('/stats')).data!.mintsUsed).toBe(1);
  });
});

describe('a transaction that is not mined', () => {
  test('gets another attempt that geth would take, with the same calldata', async () => {
    const { proxy, mintmark, verdict } = await boot({ blockTimeSeconds: 1 }, {}, { gethReplacement: true });
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.withholdFirstBids = true;
    const log = emptyLog();
    await mintOnce(targets[0]!, log);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    expect(proxy.counts['withhold']).toBe(1);
    expect(proxy.counts['underpriced']).toBeUndefined();
  });

  test('whose nonce another program used is displaced, and its intents go again', async () => {
    const { anvil, proxy, mintmark, verdict, waitForRow } = await boot({ blockTimeSeconds: 1 });
    const { db } = mintmark.service.context;
    const targets = await deployTargets([await mintmark.register()]);
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const log = emptyLog();
    await mintOnce(targets[0]!, log);
    const [open] = await waitForRow<{ nonce: bigint; signer: Buffer }>(
      `select nonce, signer from transactions where status = 'open'`,
    );
    const from = `0x${open!.signer.toString('hex')}`;
    await anvil.call('eth_sendTransaction', [{ from, to: from, nonce: `0x${open!.nonce.toString(16)}` }]);
    proxy.options.faultFor = () => null;
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
    const rows = await query<{ status: string }>(db, 'select status from transactions order by id');
    expect(rows.map(({ status }) => status)).toContain('displaced');
  });
});
