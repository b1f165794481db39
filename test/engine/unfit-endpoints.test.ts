import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { cloneNode, heightOf, reorg, startMinedNode } from '../../lab/faults/node-faults.ts';
import type { MinedNode } from '../../lab/faults/node-faults.ts';
import { startEndpoint } from '../../lab/proxies/rpc/endpoint.ts';
import type { Endpoint } from '../../lab/proxies/rpc/endpoint.ts';
import { query } from '../../src/db/client.ts';
import { until } from '../setup/until.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/* An endpoint that answers, and is not fit: it stands still, or it has become a node of another chain. */

const FINALITY = 3;
const BLOCK_MS = 500;

let stack: AsyncDisposableStack;
let anvil: MinedNode;
let first: Endpoint;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  anvil = stack.use(await startMinedNode(BLOCK_MS));
  anvil.startBlocks();
  first = await open();
});
afterEach(() => stack.disposeAsync());

async function open(): Promise<Endpoint> {
  const endpoint = await startEndpoint(anvil.url);
  stack.defer(() => endpoint.stop());
  return endpoint;
}

async function boot(...endpoints: Endpoint[]): Promise<TestService> {
  const rpcUrl = endpoints.map(({ url }) => url).join(',');
  return stack.use(await startTestService({ CONFIRMATIONS: String(FINALITY) }, { rpcUrl }));
}

/** From now on it shows no new block, and keeps what it is sent to itself. */
async function freeze(endpoint: Endpoint): Promise<void> {
  const head = await anvil.call<{ number: string }>('eth_getBlockByNumber', ['latest', false]);
  endpoint.layers.push(async (request, forward) => {
    const { method, params } = request;
    if (method === 'eth_blockNumber') return { result: head.number };
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return { result: head };
    if (method === 'eth_getTransactionReceipt') return { result: null };
    if (method === 'eth_sendRawTransaction') return { result: `0x${'0'.repeat(64)}` };
    return forward(request);
  });
}

const ready = async ({ url }: TestService): Promise<string> =>
  ((await (await fetch(`${url}/ready`)).json()) as { message?: string }).message ?? '';

test('a mint is confirmed though the first endpoint stands still, or becomes another chain', async () => {
  const mintmark = await boot(first, await open());
  const account = await mintmark.register();
  const token = await deployToken(account);
  await freeze(first);
  expect((await requestMint(account, token)).status).toBe(200);
  const { rpc } = mintmark.service.context;
  expect(rpc.endpointInUse()).toBe(2);
  first.layers.length = 0;
  await until(async () => {
    await requestMint(account, token);
    return rpc.endpointInUse() === 1;
  });
  const other = stack.use(await startAnvil({ chainId: 5, blockTimeSeconds: 0.5 }));
  first.target = other.url;
  await until(async () => {
    expect((await requestMint(account, token)).status).toBe(200);
    return rpc.endpointInUse() === 2;
  });
});

test('a node that is another one under the service is named in the words of the start, and nothing is lost', async () => {
  const mintmark = await boot(first);
  const account = await mintmark.register();
  const token = await deployToken(account);
  const own = anvil.url;
  first.target = stack.use(await startAnvil()).url;
  const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
  const sentence = 'the genesis block behind RPC_URL is not the same';
  await until(async () => (await ready(mintmark)).includes(sentence));
  expect(await ready(mintmark)).not.toContain('--accept-reorg');
  const { engine } = mintmark.service.context;
  // An answer to a call that was under way hides it for a moment.
  await until(async () => (await engine.explain(intentId!))!.cause.includes(sentence));
  first.target = own;
  await until(async () => (await ready(mintmark)) === '');
  await until(async () => (await requestMint(account, token)).status === 200);
});

test('a deep reorg is undone though another endpoint stands still on the fork that was given up', async () => {
  const second = await open();
  const mintmark = await boot(first, second);
  const account = await mintmark.register();
  const token = await deployToken(account);
  const { db } = mintmark.service.context;
  const { intentId } = await requestMint(account, token);
  await until(async () => (await query(db, 'select 1 from intents where final_at is null')).length === 0);
  await anvil.stopBlocks();
  second.target = stack.use(await cloneNode(anvil, BLOCK_MS)).url;
  // All blocks since the mint, which is final.
  const [mined] = await query<{ block: bigint }>(
    db,
    `select max(block_number) as block from transactions where status = 'final'`,
  );
  await reorg(anvil, (await heightOf(anvil)) - Number(mined!.block) + 1);
  anvil.startBlocks();
  await requestMint(account, token, { prefer: 'respond-async' });
  await until(
    async () => (await query(db, 'select 1 from deep_reorgs where resolved_at is not null')).length === 1,
  );
  expect((await waitForStatus(account, intentId!, 'confirmed')).transaction!.hash).toMatch(/^0x/);
  expect((await requestMint(account, token)).status).toBe(200);
});
