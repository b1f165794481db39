import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import type { TransactionRequest } from 'ethers';
import { classifySubmission } from '../../src/chain/rpc/classify.ts';
import { RpcRefused, createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';

const NODES = {
  anvil: startAnvil,
  Hardhat: () => startEmbeddedChain({ port: 0, log: () => undefined }),
};
const TO = embeddedAccounts[3].address;
const GWEI = 10n ** 9n;

describe.each(Object.entries(NODES))('%s', (name, start) => {
  let node: { url: string; stop(): Promise<void> };
  let rpc: Rpc;
  beforeAll(async () => {
    node = await start();
    rpc = createRpc([node.url]);
  });
  afterAll(async () => {
    rpc?.close();
    await node?.stop();
  });

  /** The refusal of a call. @throws Error when it is answered */
  async function refusalOf(method: string, params: unknown[]): Promise<RpcRefused> {
    const answer: unknown = await rpc.call(method, params).catch((error: unknown) => error);
    if (answer instanceof RpcRefused) return answer;
    throw new Error(`${method} is not refused: ${String(answer)}`);
  }
  const newestHash = async (): Promise<string> =>
    (await rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false])).hash;

  describe.each(['unknown', 'orphaned'])('of an %s block', (which) => {
    let hash = `0x${'ab'.repeat(32)}`;
    beforeAll(async () => {
      if (which === 'unknown') return;
      const snapshot = await rpc.call('evm_snapshot', []);
      await rpc.call('evm_mine', []);
      hash = await newestHash();
      await rpc.call('evm_revert', [snapshot]);
      // At another time, or it would be the same block again.
      await rpc.call('evm_increaseTime', [60]);
      await rpc.call('evm_mine', []);
      expect(await newestHash()).not.toBe(hash);
    });

    test.each(['eth_call', 'eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'])(
      '%s by hash says that it does not have it',
      async (method) => {
        const subject = method === 'eth_call' ? { to: TO, data: '0x' } : TO;
        expect((await refusalOf(method, [subject, { blockHash: hash }])).kind).toBe('unknown-block');
      },
    );

    test('eth_getLogs by hash says that it does not have it', async () => {
      expect((await refusalOf('eth_getLogs', [{ blockHash: hash }])).kind).toBe('unknown-block');
    });

    test('eth_getBlockByHash is null', async () => {
      expect(await rpc.call('eth_getBlockByHash', [hash, false])).toBeNull();
    });
  });

  test('a call at a block to come says that it does not have it', async () => {
    const refusal = await refusalOf('eth_call', [{ to: TO, data: '0x' }, '0xffffff']);
    expect(refusal.kind).toBe('unknown-block');
  });

  test.each([
    ['with data', '0x63deadbeef6000526004601cfd', '0xdeadbeef'],
    ['without data', '0x60006000fd', '0x'],
  ])('a revert %s is one, with its data', async (_data, initCode, data) => {
    const refusal = await refusalOf('eth_call', [{ from: TO, data: initCode }, 'latest']);
    expect(refusal).toMatchObject({ kind: 'reverted', data });
  });

  test('a call that runs out of gas, an unknown method and wrong parameters are none', async () => {
    const loop = { from: TO, data: '0x5b600056', gas: '0x186a0' };
    expect((await refusalOf('eth_call', [loop, 'latest'])).kind).toBe('other');
    expect((await refusalOf('eth_nothing', [])).kind).toBe('other');
    expect((await refusalOf('eth_call', ['x'])).kind).toBe('other');
  });

  test('a transaction that the pool does not take has its reason', async () => {
    const signer = new Wallet(embeddedAccounts[2].privateKey);
    const base = { chainId: 31_337, to: TO, value: 1n, gasLimit: 21_000n, type: 2 };
    const fees = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI };
    const sign = (request: TransactionRequest, by: Wallet = signer): Promise<string> =>
      by.signTransaction({ ...base, ...fees, ...request });
    const reasonOf = async (raw: string): Promise<string> => {
      const refusal = await refusalOf('eth_sendRawTransaction', [raw]);
      expect(refusal.kind).toBe('other');
      return classifySubmission(refusal.message);
    };
    const poor = new Wallet(`0x${'11'.repeat(32)}`);

    const sent = await rpc.call('eth_sendRawTransaction', [await sign({ nonce: 0 })]);
    // anvil answers before it makes the block.
    while ((await rpc.call('eth_getTransactionReceipt', [sent])) === null) await sleep(10);
    expect(await reasonOf(await sign({ nonce: 0, value: 2n }))).toBe('nonce-used');
    expect(await reasonOf(await sign({ nonce: 0 }, poor))).toBe('unpaid');
    // anvil keeps what has to wait.
    if (name === 'Hardhat') expect(await reasonOf(await sign({ nonce: 5 }))).toBe('nonce-ahead');

    await rpc.call('evm_setAutomine', [false]);
    const pending = await sign({ nonce: 1 });
    await rpc.call('eth_sendRawTransaction', [pending]);
    expect(await reasonOf(pending)).toBe('known');
    expect(await reasonOf(await sign({ nonce: 1, value: 2n }))).toBe('underpriced');
    // Hardhat keeps what the next block does not pay for.
    const cheap = await sign({ nonce: 2, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });
    if (name === 'anvil') expect(await reasonOf(cheap)).toBe('fee-too-low');
  });
});
