import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createCli } from '../../lab/stage/cli.ts';
import { until } from '../setup/until.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { askNode, startEndpoint } from '../../lab/proxies/rpc/endpoint.ts';
import type { Endpoint } from '../../lab/proxies/rpc/endpoint.ts';
import { startHardhatNode } from '../setup/hardhat-node.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/* A node that is restarted or reset under the service, to the same genesis block or to another one. */

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

type Call = (method: string, params?: unknown[]) => Promise<unknown>;

interface Scene {
  mintmark: TestService;
  account: TestAccount;
  token: string;
  /** Leads to the node. */
  endpoint: Endpoint;
  /** Takes the node back to its genesis block, where the service has nothing yet. */
  reset(): Promise<void>;
}

/** A service that has minted, on a node that can lose everything. */
async function boot(startNode: () => Promise<AsyncDisposable & { url: string }>): Promise<Scene> {
  const { url } = stack.use(await startNode());
  const call: Call = async (method, params = []) => (await askNode(url, { id: 1, method, params })).result;
  const empty = await call('evm_snapshot');
  const endpoint = await startEndpoint(url);
  stack.defer(() => endpoint.stop());
  const mintmark = stack.use(await startTestService({}, { rpcUrl: endpoint.url }));
  const account = await mintmark.register();
  const token = await deployToken(account);
  expect((await requestMint(account, token)).status).toBe(200);
  const reset = async (): Promise<void> => {
    expect(await call('evm_revert', [empty])).toBe(true);
    expect(await call('eth_blockNumber')).toBe('0x0');
  };
  return { mintmark, account, token, endpoint, reset };
}

const ready = async ({ url }: TestService): Promise<string> =>
  ((await (await fetch(`${url}/ready`)).json()) as { message?: string }).message ?? '';

/** Waits until /ready says so. How long that took is shown, and not judged: this machine may be busy. */
async function untilReadySays(mintmark: TestService, sentence: string): Promise<void> {
  const since = performance.now();
  await until(async () => (await ready(mintmark)).includes(sentence));
  process.stdout.write(`/ready says so after ${Math.round(performance.now() - since)} ms\n`);
}

/** Waits until the chain was looked at so many times. */
async function afterLooks({ calls }: Endpoint, looks: number): Promise<void> {
  const wanted = calls['eth_chainId']! + looks;
  await until(() => calls['eth_chainId']! >= wanted);
}

const LACKS = 'lacks the contracts of this database: its node was restarted or reset';

describe.each([
  ['anvil', startAnvil],
  ['npx hardhat node', startHardhatNode],
])('%s that is reset to its genesis block', (_name, startNode) => {
  test('is named in the words of the start by a service that has nothing to do', async () => {
    const { mintmark, reset } = await boot(startNode);
    await reset();
    await untilReadySays(mintmark, LACKS);
    expect(await ready(mintmark)).not.toContain('--accept-reorg');
    expect(mintmark.errors.join('')).toContain(LACKS);
    await expect(mintmark.restart()).rejects.toThrow(LACKS);
  });

  test('is named while writes wait, and asked for nothing of which they could get a verdict', async () => {
    const { mintmark, account, token, endpoint, reset } = await boot(startNode);
    await reset();
    const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
    await untilReadySays(mintmark, LACKS);
    const { engine } = mintmark.service.context;
    await until(async () => (await engine.explain(intentId!))!.cause.includes(LACKS));
    expect(await ready(mintmark)).not.toContain('--accept-reorg');
    // What was under way when it was noticed has ended when the next two questions have.
    await afterLooks(endpoint, 2);
    const before = endpoint.calls['eth_call'];
    await afterLooks(endpoint, 5);
    expect(endpoint.calls['eth_call']).toBe(before);
  });
});

test('a chain that was reset is what a person says it is: all writes are done again on it', async () => {
  const { mintmark, account, token, reset } = await boot(startAnvil);
  await reset();
  await until(async () => (await ready(mintmark)).includes(LACKS));
  const accepted = await createCli(mintmark.environment).ask('recover', '--accept-reorg');
  expect(accepted).toEqual({ accepted: true, ancestor: 0, transactions: 2, successes: 2 });
  await mintmark.restart();
  expect((await requestMint(account, token)).status).toBe(200);
  expect(await ready(mintmark)).toBe('');
});

test('a node that has another genesis block after a restart is named to who has nothing to do', async () => {
  const { url, call } = stack.use(await startAnvil());
  const mintmark = stack.use(await startTestService({}, { rpcUrl: url }));
  await call('anvil_reset');
  await untilReadySays(mintmark, 'the genesis block behind RPC_URL is not the same');
  expect(mintmark.errors.join('')).toContain('is not the same');
  await expect(createCli(mintmark.environment).refuse('signers', 'status')).resolves.toContain(
    'the genesis block behind RPC_URL is not the same',
  );
});
