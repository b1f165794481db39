import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { wrongCounts } from '../../lab/proxies/rpc/state.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { until } from '../setup/until.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { spawnEngine, startMint, walk } from './runbook/walk.ts';
import type { Site } from './runbook/walk.ts';

/*
 * Alerts about nonces, endpoints and reorgs.
 */

const [SIGNER, , OTHER] = embeddedAccounts;
const timings = SHORT_TIMINGS;

/** The node itself, instead of the endpoint that misbehaves. */
const useOtherEndpoint = ({ mintmark, anvil }: Site) => mintmark.restart({ RPC_URL: anvil.url });

/** Sends with the key of the service, as another program does. */
async function sendElsewhere({ anvil }: Site, count: number): Promise<void> {
  using provider = openProvider(anvil.url, { cacheTimeout: -1 });
  const wallet = new Wallet(SIGNER.privateKey, provider);
  for (let sent = 0; sent < count; sent += 1)
    await (await wallet.sendTransaction({ to: wallet.address })).wait();
}

/** To a key that nobody else has; whoever has the old one goes on. */
async function rotate(site: Site): Promise<void> {
  await site.cli.say('signers', 'grant', OTHER.address);
  site.stack.use(await spawnEngine(site.mintmark, OTHER.privateKey));
  await site.cli.say('signers', 'rotate', '--from', SIGNER.address, '--to', OTHER.address);
  await sendElsewhere(site, 2);
  expect((await requestMint(site.account, site.token)).status).toBe(200);
  const [row] = await site.waitForRow<{ signer: string }>(
    `select '0x' || encode(signer, 'hex') as signer from transactions order by id desc limit 1`,
  );
  expect(row!.signer).toBe(OTHER.address.toLowerCase());
}

/** Expects that all mints are confirmed in the end. */
async function expectConfirmed({ waitForRow, account }: Site): Promise<void> {
  for (const { id } of await waitForRow<{ id: string }>(`select id from intents where kind = 'mint'`))
    await waitForStatus(account, id, 'confirmed');
}

walk({
  alert: 'MintmarkNonceStuck',
  fault: 'the endpoint takes transactions and forwards none',
  heal: 'another endpoint is put first in `RPC_URL`, and the engine restarted',
  timings,
  induce: async (site) => {
    site.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    await waitForStatus(site.account, await startMint(site), 'submitted');
  },
  repair: async (site) => {
    expect(await site.admin('lanes')).toMatch(/nonce/);
    await useOtherEndpoint(site);
    await expectConfirmed(site);
  },
});

walk({
  alert: 'MintmarkForeignNonce',
  fault: 'another program sends two transactions with the key',
  heal: '`signers rotate` to another key, of which the writes are from then on',
  timings,
  induce: (site) => sendElsewhere(site, 2),
  repair: rotate,
});

walk({
  alert: 'MintmarkRpcUnreachable',
  fault: 'the only endpoint cuts every connection',
  heal: 'the endpoint is repaired',
  induce: async ({ proxy }) => {
    proxy.options.faultFor = () => 'drop';
  },
  repair: async (site) => {
    site.proxy.options.faultFor = () => null;
    for (let tries = 0; (await requestMint(site.account, site.token)).status !== 200; tries += 1) {
      if (tries === 60) throw new Error('no mint goes through');
      await sleep(500);
    }
  },
});

walk({
  alert: 'MintmarkRpcFailover',
  fault: 'the first of two endpoints cuts every connection',
  heal: 'it is taken out of `RPC_URL`, and the service restarted',
  timings,
  induce: async (site) => {
    await site.mintmark.restart({ RPC_URL: `${site.proxy.url},${site.anvil.url}` });
    site.proxy.options.faultFor = () => 'drop';
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
  repair: async (site) => {
    await useOtherEndpoint(site);
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

walk({
  alert: 'MintmarkRpcEndpointFailing',
  fault: 'the only endpoint cuts every second connection',
  heal: 'the endpoint is replaced in `RPC_URL`, and the service restarted',
  timings,
  induce: async (site) => {
    let calls = 0;
    site.proxy.options.faultFor = () => ((calls += 1) % 2 === 0 ? 'drop' : null);
    for (let mints = 0; mints < 10; mints += 1) {
      await requestMint(site.account, site.token, { prefer: 'respond-async' });
      await sleep(500);
    }
  },
  repair: async (site) => {
    await useOtherEndpoint(site);
    for (let mints = 0; mints < 5; mints += 1)
      expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
});

walk({
  alert: 'MintmarkChainUnread',
  fault: 'the endpoint answers everything but blocks and logs, while a transaction is open',
  heal: 'the endpoint is repaired',
  timings,
  induce: async (site) => {
    await site.anvil.call('evm_setAutomine', [false]);
    await waitForStatus(site.account, await startMint(site), 'submitted');
    const unread = ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getLogs'];
    site.proxy.options.faultFor = (method) => (unread.includes(method) ? 'error-500' : null);
    await site.age(
      `with older as (update transactions set created_at = created_at - interval '2 minutes' where status = 'open')
       update reader set looked_at = looked_at - interval '2 minutes'`,
    );
  },
  repair: async (site) => {
    site.proxy.options.faultFor = () => null;
    await site.anvil.call('evm_setAutomine', [true]);
    await site.anvil.call('evm_mine');
    await expectConfirmed(site);
  },
});

walk({
  alert: 'MintmarkHeadStandsStill',
  fault: 'the node answers and makes no block, while a transaction is open',
  heal: 'the node makes blocks again',
  timings,
  induce: async (site) => {
    await site.anvil.call('evm_setAutomine', [false]);
    await waitForStatus(site.account, await startMint(site), 'submitted');
    await site.age(
      `with older as (update transactions set created_at = created_at - interval '3 minutes' where status = 'open')
       update reader set head_at = head_at - interval '3 minutes'`,
    );
  },
  repair: async (site) => {
    await site.anvil.call('evm_setAutomine', [true]);
    await site.anvil.call('evm_mine');
    await expectConfirmed(site);
  },
});

walk({
  alert: 'MintmarkReorg',
  fault: 'a reorg of 3 blocks, final after 6',
  heal: 'by itself: what was removed is sent again',
  node: { blockTimeSeconds: 0.25 },
  variables: { CONFIRMATIONS: '6' },
  timings,
  induce: async (site) => {
    // No block comes before the reorg that would leave the one of the mint below it.
    await site.anvil.call('evm_setIntervalMining', [0]);
    const mint = await startMint(site);
    await until(async () => {
      const { pending } = await site.anvil.call<{ pending: string }>('txpool_status');
      return BigInt(pending) > 0n;
    });
    await site.anvil.call('evm_mine');
    await waitForStatus(site.account, mint, 'confirmed');
    await site.anvil.call('anvil_reorg', [3, []]);
    await site.anvil.call('evm_setIntervalMining', [1]);
  },
  repair: expectConfirmed,
});

walk({
  alert: 'MintmarkDeepReorg',
  fault: 'a reorg of 8 blocks, final after 3',
  heal: 'by itself; `CONFIRMATIONS` is raised to 12',
  node: { blockTimeSeconds: 0.25 },
  variables: { CONFIRMATIONS: '3' },
  timings,
  induce: async (site) => {
    const id = await startMint(site);
    await site.waitForRow(`select 1 from intents where id = '${id}' and final_at is not null`);
    await site.anvil.call('anvil_reorg', [8, []]);
    await startMint(site);
  },
  repair: async (site) => {
    await site.mintmark.restart({ CONFIRMATIONS: '12' });
    await expectConfirmed(site);
  },
});

walk({
  alert: 'MintmarkUnderbid',
  fault: 'the first bid of each of 12 transactions is never mined',
  heal: 'by itself: fees are raised, and another endpoint suggests a better tip',
  node: { blockTimeSeconds: 0.25 },
  variables: { MAX_BATCH: '1' },
  timings,
  induce: async (site) => {
    site.proxy.options.withholdFirstBids = true;
    for (let mints = 0; mints < 12; mints += 1) await startMint(site);
  },
  repair: async (site) => {
    await useOtherEndpoint(site);
    await expectConfirmed(site);
  },
});

walk({
  alert: 'MintmarkForeignTransactions',
  fault: 'another program used the nonces of two writes',
  heal: '`signers rotate` to a key of its own',
  timings,
  induce: async (site) => {
    await sendElsewhere(site, 2);
    expect((await requestMint(site.account, site.token)).status).toBe(200);
  },
  repair: rotate,
});

walk({
  alert: 'MintmarkNonces',
  fault: 'an endpoint gives counts of transactions that are too high by 3',
  heal: 'the endpoint is dropped from `RPC_URL`',
  node: { blockTimeSeconds: 0.25 },
  timings,
  induce: async (site) => {
    const { endpoint } = site.proxy;
    const own = endpoint.layers;
    endpoint.layers = [wrongCounts(3), ...own];
    await site.mintmark.restart();
    await waitForStatus(site.account, await startMint(site), 'submitted');
    endpoint.layers = own;
  },
  repair: async (site) => {
    await useOtherEndpoint(site);
    await expectConfirmed(site);
  },
});
