import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { executedTopics } from '../../src/chain/abi/operator.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { toHex } from '../../src/lib/hex.ts';
import { readConfig } from '../../src/config.ts';
import { createDb, query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { acceptGap } from '../../src/engine/index.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import type { Anvil } from '../faults/anvil.ts';
import { FLAWLESS } from '../faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../faults/load.ts';
import { turnAround } from '../faults/reorgs.ts';
import { startRpcProxy } from '../faults/rpc-proxy.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';
import { createCollection, sessionOf } from '../setup/collections.ts';
import { copyDatabase } from '../setup/database.ts';
import { RECIPIENT } from '../setup/tokens.ts';

// Blocks come once a second and what is lost is sent again after five: a run of bad luck is slow, and still right.
jest.setTimeout(240_000);

let stand: Stand;

/** As `startStand`, ended after the test. */
async function boot(...how: Parameters<typeof startStand>): Promise<Stand> {
  stand = await startStand(...how);
  return stand;
}

afterEach(() => stand.stop());

describe('a reorg', () => {
  test('takes confirmations back, and everything is mined again', async () => {
    const { anvil, mintmark, verdict } = await boot({ blockTimeSeconds: 1 }, { CONFIRMATIONS: '6' });
    const targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
    const log = emptyLog();
    await inParallel(10, 5, (index) => mintOnce(targets[index % 2]!, log));
    for (let reorg = 0; reorg < 3; reorg += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await anvil.call('anvil_reorg', [1 + reorg, []]);
      await inParallel(4, 4, (index) => mintOnce(targets[index % 2]!, log));
    }
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 22, failed: 0 });
  });
});

describe('a reorg that changes the end of a call', () => {
  test('turns a success into a failure and back, and the verdict is what stays', async () => {
    const { anvil, mintmark, verdict } = await boot({ blockTimeSeconds: 1 }, { CONFIRMATIONS: '6' });
    const [one, other] = [await mintmark.register(), await mintmark.register()];
    const { db } = mintmark.service.context;
    const log = emptyLog();
    await turnAround({ anvil, db, account: one, log }, 'success');
    await turnAround({ anvil, db, account: other, log }, 'failure');
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 1 });
    const used = await Promise.all(
      [one, other].map(async ({ api }) => (await api.GET('/stats')).data!.mintsUsed),
    );
    expect(used).toEqual([2, 1]);
  });

  test('is not what an endpoint without receipts shows: a confirmation stays', async () => {
    const { proxy, mintmark, verdict, waitForRow } = await boot(
      { blockTimeSeconds: 1 },
      { CONFIRMATIONS: '6' },
    );
    const { db } = mintmark.service.context;
    const targets = await deployTargets([await mintmark.register()]);
    const log = emptyLog();
    await mintOnce(targets[0]!, log);
    await waitForRow(`select 1 from intents where kind = 'mint' and status = 'confirmed'`);
    proxy.options.faultFor = (method) => (method === 'eth_getTransactionReceipt' ? 'null-receipt' : null);
    for (let look = 0; look < 30; look += 1) {
      const rows = await query(db, `select 1 from intents where kind = 'mint' and status = 'confirmed'`);
      expect(rows).toHaveLength(1);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(proxy.counts['null-receipt']).toBeGreaterThan(0);
    proxy.options.faultFor = () => null;
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 0 });
  });
});

describe('a replica whose endpoint is out of reach', () => {
  test('gives up nothing that another one will send', async () => {
    const { anvil, mintmark, verdict } = await boot(
      { blockTimeSeconds: 1 },
      { MAX_BATCH: '1', MAX_IN_FLIGHT: '1' },
    );
    const targets = await deployTargets([await mintmark.register()]);
    const variables = { ...mintmark.environment, OPERATOR_ADMIN: embeddedAccounts[0].address };
    const broken = await startRpcProxy({ target: anvil.url, faultFor: () => null });
    const config = readConfig(['--role', 'engine'], { ...variables, RPC_URL: broken.url });
    const replica = await startService(config, createLogger('silent'));
    try {
      broken.options.faultFor = () => 'drop';
      const log = emptyLog();
      await inParallel(25, 5, () => mintOnce(targets[0]!, log));
      expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 25, failed: 0 });
      expect(replica.context.rpc.unreachableForMs()).toBeGreaterThan(10_000);
    } finally {
      await replica.stop();
      await broken.stop();
    }
  });
});

describe('a restored backup', () => {
  test('does not start before the gap is accepted, and then does nothing twice that it knows', async () => {
    const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = await boot({ blockTimeSeconds: 1 });
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
    await expect(mintmark.restart(restored)).rejects.toThrow(/recover --accept-gap/);
    const db = createDb(backup, 1);
    const rpc = createRpc([anvil.url]);
    await acceptGap(db, rpc, operator);
    rpc.close();
    await db.destroy();
    await mintmark.restart(restored);
    await quiet();
    for (const id of known.acknowledged) {
      const { data } = await targets[0]!.account.api.GET('/intents/{id}', { params: { path: { id } } });
      expect(data!.status).toBe('confirmed');
    }
    expect(await countEffects(anvil, operator)).toBe(before);
    await mintOnce(targets[0]!, emptyLog());
    await quiet();
    expect(await countEffects(anvil, operator)).toBe(before + 1);
  });

  test('takes no effect of an intent that it does not know for that of another one', async () => {
    const { mintmark, quiet } = await boot({ blockTimeSeconds: 1 });
    const [target] = await deployTargets([await mintmark.register()]);
    const mint = async (amount: string) => {
      const { response, error } = await target!.account.api.POST('/tokens/{address}/mint', {
        params: { path: { address: target!.address } },
        body: { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount },
      });
      return { status: response.status, error };
    };
    // Far ahead of all that is looked at when the service starts: many requests of the sandbox may lie between.
    const skip = () => query(mintmark.service.context.db, `select setval('intents_number_seq', 100000)`);
    await quiet();
    await mintmark.service.stop();
    const backup = await copyDatabase(mintmark.databaseUrl);
    await mintmark.restart();
    await skip();
    expect(await mint('1')).toMatchObject({ status: 200 });

    await mintmark.restart({ DATABASE_URL: backup });
    await skip();
    expect(await mint('2')).toMatchObject({
      status: 502,
      error: { code: 'CHAIN_ERROR', message: expect.stringContaining('ask again') },
    });
    expect(await mint('2')).toMatchObject({ status: 200 });
    expect((await target!.account.api.GET('/stats')).data!.mintsUsed).toBe(2);
  });

  test('keeps nobody else waiting while the endpoint does not search for what the chain did', async () => {
    const { proxy, mintmark, quiet, verdict, waitForRow } = await boot(
      { blockTimeSeconds: 1 },
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

    proxy.options.faultFor = (method) => (method === 'eth_getLogs' ? 'too-far' : null);
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
    // The nonce of the second mint is not known to the backup.
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 3, failed: 0, nonceGaps: 1 });
  });
});

describe('a deployment that a reorg turns into a failure', () => {
  test('takes the mint with it that its first block had confirmed', async () => {
    const { anvil, mintmark, quiet } = await boot({ blockTimeSeconds: 1 }, { CONFIRMATIONS: '10' });
    const { db, system } = mintmark.service.context;
    const session = sessionOf(mintmark, await mintmark.register());
    await quiet();
    const address = await createCollection(session);
    await session.POST('/v1/collections/{address}/mint', {
      params: { path: { address } },
      body: { to: RECIPIENT },
    });
    const sent = await query<{ raw: Buffer; block_number: bigint }>(
      db,
      `select a.raw, t.block_number from transactions t join attempts a on a.hash = t.mined_hash
        where t.status = 'mined' order by t.nonce`,
    );
    expect(sent).toHaveLength(2);
    await mintmark.service.stop();

    const height = async (): Promise<bigint> => BigInt(await anvil.call<string>('eth_blockNumber'));
    await anvil.call('anvil_reorg', [Number((await height()) - sent[0]!.block_number + 1n), []]);
    const factory = system.collectionFactory;
    const code = await anvil.call('eth_getCode', [factory, 'latest']);
    await anvil.call('anvil_setCode', [factory, '0x5f5ffd']);
    for (const { raw } of sent) await anvil.call('eth_sendRawTransaction', [toHex(raw)]);
    await anvil.call('anvil_mine', ['0xa']);
    await anvil.call('anvil_setCode', [factory, code]);

    await mintmark.restart();
    await quiet();
    const ends = await query<{ status: string }>(
      mintmark.service.context.db,
      `select status from intents where environment = 'live' order by number`,
    );
    expect(ends).toEqual([{ status: 'failed' }, { status: 'failed' }]);
  });
});

async function countEffects(anvil: Anvil, operator: string): Promise<number> {
  const topics = [executedTopics(0n)[0]];
  return (await anvil.call<unknown[]>('eth_getLogs', [{ address: operator, topics, fromBlock: 'earliest' }]))
    .length;
}
