import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { until } from '../setup/until.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { cloneNode, heightOf, reorg, setBalance } from '../../lab/faults/node-faults.ts';
import { createRandom } from '../../lab/random.ts';
import { secondBackend } from '../../lab/proxies/rpc/backends.ts';
import { startEndpoint } from '../../lab/proxies/rpc/endpoint.ts';
import type { Endpoint, RpcReply } from '../../lab/proxies/rpc/endpoint.ts';
import {
  BATCH_FORMS,
  batchLimit,
  gaslessNode,
  indexingNode,
  sequencerWithoutPool,
} from '../../lab/proxies/rpc/nodes.ts';
import { laggingState, preconfirmedCounts, prunedNode, wrongCounts } from '../../lab/proxies/rpc/state.ts';

const WALLET = new Wallet(embeddedAccounts[3].privateKey);
const OTHER = embeddedAccounts[4].address;
/** Of a clone, whose blocks nobody starts here. */
const BLOCK_MS = 1_000;

let anvil: Anvil;
let endpoint: Endpoint;

beforeAll(async () => {
  anvil = await startAnvil();
  endpoint = await startEndpoint(anvil.url);
});
beforeEach(() => {
  endpoint.layers = [];
  endpoint.batchRule = null;
});
afterAll(async () => {
  await endpoint.stop();
  await anvil.stop();
});

async function ask(method: string, ...params: unknown[]): Promise<RpcReply> {
  const response = await post({ jsonrpc: '2.0', id: 1, method, params });
  return (await response.json()) as RpcReply;
}

const post = (body: unknown): Promise<Response> =>
  fetch(endpoint.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

const sign = (nonce: number): Promise<string> =>
  WALLET.signTransaction({
    type: 2,
    chainId: 31_337,
    nonce,
    to: OTHER,
    gasLimit: 21_000,
    maxFeePerGas: 10n ** 11n,
  });

const hashOfHead = async (): Promise<string> =>
  (await anvil.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash;

describe('lagging state', () => {
  test('answers `latest` as of some blocks ago, and does not know newer blocks by hash', async () => {
    await anvil.call('anvil_mine', ['0x4']);
    const old = await hashOfHead();
    await anvil.call('anvil_mine', ['0x1']);
    await setBalance(anvil, OTHER, 77n);
    await anvil.call('anvil_mine', ['0x3']);
    endpoint.layers = [laggingState(2)];
    expect(await ask('eth_getBalance', OTHER, 'latest')).toMatchObject({ result: '0x4d' });
    endpoint.layers = [laggingState(4)];
    expect(await ask('eth_getBalance', OTHER, 'latest')).toMatchObject({ result: '0xd3c21bcecceda1000000' });
    expect(await ask('eth_getBalance', OTHER, { blockHash: old })).toHaveProperty('result');
    const newest = await ask('eth_getBalance', OTHER, { blockHash: await hashOfHead() });
    expect(newest.error?.message).toBe('header not found');
    expect(Number((await ask('eth_blockNumber')).result)).toBe(await heightOf(anvil));
  });
});

test('a pruned node refuses old states and old logs, by number and by hash', async () => {
  const old = await hashOfHead();
  await anvil.call('anvil_mine', ['0x8']);
  endpoint.layers = [prunedNode({ states: 4, logs: 6 })];
  expect(await ask('eth_getBalance', OTHER, 'latest')).toHaveProperty('result');
  expect((await ask('eth_getBalance', OTHER, '0x1')).error?.message).toMatch(/missing trie node/);
  expect((await ask('eth_getBalance', OTHER, { blockHash: old })).error?.message).toMatch(
    /missing trie node/,
  );
  expect((await ask('eth_getLogs', { fromBlock: '0x0' })).error?.code).toBe(4_444);
  expect((await ask('eth_getLogs', { blockHash: old })).error?.code).toBe(4_444);
  expect(await ask('eth_getLogs', { blockHash: await hashOfHead() })).toMatchObject({ result: [] });
});

test('counts are wrong by a number, or ahead of the blocks', async () => {
  endpoint.layers = [wrongCounts(3)];
  expect(await ask('eth_getTransactionCount', OTHER, 'latest')).toMatchObject({ result: '0x3' });
  endpoint.layers = [wrongCounts(-1)];
  expect(await ask('eth_getTransactionCount', OTHER, 'latest')).toMatchObject({ result: '0x0' });
  endpoint.layers = [preconfirmedCounts];
  await anvil.call('evm_setAutomine', [false]);
  const { result: before } = await ask('eth_getTransactionCount', WALLET.address, 'latest');
  await anvil.call('eth_sendRawTransaction', [await sign(Number(before))]);
  const { result: after } = await ask('eth_getTransactionCount', WALLET.address, 'latest');
  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('anvil_mine', ['0x1']);
  expect(Number(after)).toBe(Number(before) + 1);
});

test('a sequencer without a pool takes the next nonce and no other one', async () => {
  endpoint.layers = [sequencerWithoutPool];
  const next = Number(await anvil.call<string>('eth_getTransactionCount', [WALLET.address, 'latest']));
  expect((await ask('eth_sendRawTransaction', await sign(next + 1))).error?.message).toMatch(
    /nonce too high/,
  );
  expect(await ask('eth_sendRawTransaction', await sign(next))).toHaveProperty('result');
  expect((await ask('eth_sendRawTransaction', await sign(next))).error?.message).toMatch(/nonce too low/);
});

test('a node that indexes says so of transactions, and one without gas prices names none', async () => {
  endpoint.layers = [indexingNode, gaslessNode];
  const reply = await ask('eth_getTransactionReceipt', `0x${'11'.repeat(32)}`);
  expect(reply.error?.message).toBe('transaction indexing is in progress');
  expect(await ask('eth_maxPriorityFeePerGas')).toMatchObject({ result: '0x0' });
  expect(await ask('eth_chainId')).toMatchObject({ result: '0x7a69' });
});

test('a batch beyond the limit is refused as a whole in four forms; a smaller one is answered', async () => {
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] }));
  const answers: unknown[] = [];
  for (const form of BATCH_FORMS) {
    endpoint.batchRule = batchLimit(form, 2);
    const small = (await (await post(batch.slice(1))).json()) as unknown[];
    expect(small).toHaveLength(2);
    const refused = await post(batch);
    const text = await refused.text();
    answers.push([refused.status, text.startsWith('[') ? 'array' : text.slice(0, 1)]);
    expect(text).not.toContain('0x7a69');
  }
  expect(answers).toEqual([
    [200, '{'],
    [200, 'array'],
    [413, '<'],
    [429, '{'],
  ]);
});

test('a clone keeps a fork that the first node has given up, and answers for it behind one address', async () => {
  const next = Number(await anvil.call<string>('eth_getTransactionCount', [WALLET.address, 'latest']));
  const hash = await anvil.call<string>('eth_sendRawTransaction', [await sign(next)]);
  // A busy anvil answers before it has made the block.
  const mined = await until(() =>
    anvil.call<{ blockHash: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  await using stale = await cloneNode(anvil, BLOCK_MS);
  await reorg(anvil, 1);
  await anvil.call('anvil_mine', ['0x3']);
  expect(await anvil.call('eth_getTransactionReceipt', [hash])).toBeNull();
  const random = createRandom('1');
  endpoint.layers = [secondBackend({ url: stale.url, answers: 'lookups', part: 1, random })];
  expect(await ask('eth_getTransactionReceipt', hash)).toMatchObject({
    result: { blockHash: mined.blockHash },
  });
  const byHash = await ask('eth_getTransactionCount', WALLET.address, { blockHash: mined.blockHash });
  expect(Number(byHash.result)).toBe(next + 1);
  expect(Number((await ask('eth_blockNumber')).result)).toBe(await heightOf(anvil));
  expect(await heightOf(stale)).toBeLessThan(await heightOf(anvil));
});
