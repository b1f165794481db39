import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { AnvilOptions } from '../../lab/stage/anvil.ts';
import { startEndpoint } from '../../lab/proxies/rpc/endpoint.ts';
import type { Layer, RpcRequest } from '../../lab/proxies/rpc/endpoint.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/* Chains and nodes on which the service cannot work are known at the start. */

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

/** The URL of an endpoint of a node. */
async function open(node: string, ...layers: Layer[]): Promise<string> {
  const endpoint = await startEndpoint(node);
  stack.defer(() => endpoint.stop());
  endpoint.layers.push(...layers);
  return endpoint.url;
}

const startOn = async (...urls: string[]): Promise<TestService> =>
  stack.use(await startTestService({}, { rpcUrl: urls.join(',') }));

async function start(options: AnvilOptions, ...layers: Layer[]): Promise<TestService> {
  const anvil = stack.use(await startAnvil(options));
  return startOn(await open(anvil.url, ...layers));
}

/** A node that does not know something. */
const refuse =
  (code: number, message: string, isMeant: (request: RpcRequest) => boolean): Layer =>
  async (request, forward) =>
    isMeant(request) ? { error: { code, message } } : forward(request);

const asksAtHash = ({ params }: RpcRequest): boolean =>
  params.some((param) => typeof param === 'object' && param !== null && 'blockHash' in param);

const noObject = 'invalid argument 1: json: cannot unmarshal object into Go value of type string';

const withoutHashes = refuse(
  -32_602,
  noObject,
  (request) => request.method !== 'eth_getLogs' && asksAtHash(request),
);

const capGas: Layer = async (request, forward) => {
  if (request.method !== 'eth_call') return forward(request);
  const [call, ...rest] = request.params as [{ gas?: string }];
  const gas = Math.min(Number(call.gas ?? 10_000_000), 10_000_000);
  return forward({ ...request, params: [{ ...call, gas: `0x${gas.toString(16)}` }, ...rest] });
};

test.each<[string, RegExp, AnvilOptions, Layer[]]>([
  ['before Cancun', /does not run the instructions of Cancun/, { hardfork: 'shanghai' }, []],
  ['before London', /has no base fee .*feeModel to "legacy"/, { hardfork: 'berlin' }, []],
  ['without EIP-1898', /without eth_call at a block hash \(EIP-1898\)/, {}, [withoutHashes]],
  [
    'without logs by block hash',
    /without eth_getLogs of a block hash/,
    {},
    [
      refuse(
        -32_602,
        'missing fromBlock',
        (request) => request.method === 'eth_getLogs' && asksAtHash(request),
      ),
    ],
  ],
  [
    'with a low gas cap of eth_call',
    /gives eth_call \d+ gas at most, and the largest transaction may have 16777216: raise that limit/,
    {},
    [capGas],
  ],
])('a start on a node %s says what is missing', async (_what, sentence, options, layers) => {
  await expect(start(options, ...layers)).rejects.toThrow(sentence);
});

test('an endpoint that cannot work behind one that can is named by its place, and not by its URL', async () => {
  const { url } = stack.use(await startAnvil());
  const unable = `${await open(url, withoutHashes)}/v2/0123456789abcdef`;
  const refused = await startOn(url, unable).catch(String);
  expect(refused).toMatch(/The node behind endpoint 2 of RPC_URL is without eth_call at a block hash/);
  expect(refused).not.toMatch(/0123456789abcdef|127\.0\.0\.1/);
});

const asksForMcopy = ({ method, params }: RpcRequest): boolean =>
  method === 'eth_call' && String((params[0] as { data?: string }).data).startsWith('0x5f5f5f5e');

test('an internal error tells of a chain before Cancun only where it names the instruction', async () => {
  const { url } = stack.use(await startAnvil());
  await startOn(await open(url, refuse(-32_603, 'Internal error', asksForMcopy)));
  const words = 'VM Exception while processing transaction: invalid opcode';
  await expect(startOn(await open(url, refuse(-32_603, words, asksForMcopy)))).rejects.toThrow(
    'does not run the instructions of Cancun',
  );
});

test('an endpoint of a chain before Cancun, or of another genesis block, behind one that can work is named', async () => {
  const { url } = stack.use(await startAnvil());
  await expect(
    startOn(url, await open(url, refuse(-32_003, 'invalid opcode', asksForMcopy))),
  ).rejects.toThrow('The chain behind endpoint 2 of RPC_URL does not run the instructions of Cancun');
  // Anvil puts the time of its start into its genesis block.
  const other = stack.use(await startAnvil({ baseFeePerGas: 7 }));
  await expect(startOn(url, other.url)).rejects.toThrow('numbers 1 and 2 have different genesis blocks');
});

test('an endpoint that is not synchronised does not stop the start, whatever its newest block lacks', async () => {
  const { url } = stack.use(await startAnvil());
  const behind = await open(url, async (request, forward) => {
    const isLatest = request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest';
    if (!isLatest) return forward(request);
    const { result } = (await forward(request)) as { result: object };
    return { result: { ...result, number: '0x1', timestamp: '0x1', baseFeePerGas: undefined } };
  });
  const mintmark = await startOn(url, behind);
  const account = await mintmark.register();
  expect((await requestMint(account, await deployToken(account))).status).toBe(200);
});

test('an endpoint that does not answer, has no time, not even for one call, or no block yet does not stop the start', async () => {
  const { url } = stack.use(await startAnvil());
  const gone = await startEndpoint(url);
  await gone.stop();
  const busy = await open(url, async (request, forward) =>
    request.method === 'eth_chainId'
      ? forward(request)
      : { error: { code: -32_005, message: 'limit exceeded' } },
  );
  let calls = 0;
  const limits = await open(url, async (request, forward) => {
    calls += request.method === 'eth_call' ? 1 : 0;
    const isFirst = request.method === 'eth_call' && calls === 1;
    return isFirst ? { error: { code: -32_005, message: 'limit exceeded' } } : forward(request);
  });
  const empty = await open(url, async (request, forward) =>
    request.method === 'eth_getBlockByNumber' && request.params[0] === 'latest'
      ? { result: null }
      : forward(request),
  );
  const mintmark = await startOn(gone.url, url, busy, limits, empty);
  const account = await mintmark.register();
  expect((await requestMint(account, await deployToken(account))).status).toBe(200);
});

test('a node without eth_maxPriorityFeePerGas is asked for its gas price', async () => {
  const isMissing = ({ method }: RpcRequest): boolean => method === 'eth_maxPriorityFeePerGas';
  const mintmark = await start(
    {},
    refuse(-32_601, 'the method eth_maxPriorityFeePerGas does not exist/is not available', isMissing),
  );
  const account = await mintmark.register();
  expect((await requestMint(account, await deployToken(account))).status).toBe(200);
});
