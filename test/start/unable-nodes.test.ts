import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { startAnvil } from '../faults/anvil.ts';
import type { AnvilOptions } from '../faults/anvil.ts';
import { startEndpoint } from '../faults/rpc/endpoint.ts';
import type { Layer, RpcRequest } from '../faults/rpc/endpoint.ts';
import { startTestService } from '../setup/service.ts';
import type { TestService } from '../setup/service.ts';
import { deployToken, requestMint } from '../setup/tokens.ts';

/* Chains and nodes on which the service cannot work are known at the start. */

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

async function start(options: AnvilOptions, ...layers: Layer[]): Promise<TestService> {
  const anvil = stack.use(await startAnvil(options));
  const endpoint = await startEndpoint(anvil.url);
  stack.defer(() => endpoint.stop());
  endpoint.layers.push(...layers);
  return stack.use(await startTestService({}, { rpcUrl: endpoint.url }));
}

/** A node that does not know something. */
const refuse =
  (code: number, message: string, isMeant: (request: RpcRequest) => boolean): Layer =>
  async (request, forward) =>
    isMeant(request) ? { error: { code, message } } : forward(request);

const asksAtHash = ({ params }: RpcRequest): boolean =>
  params.some((param) => typeof param === 'object' && param !== null && 'blockHash' in param);

const noObject = 'invalid argument 1: json: cannot unmarshal object into Go value of type string';

const capGas: Layer = async (request, forward) => {
  if (request.method !== 'eth_call') return forward(request);
  const [call, ...rest] = request.params as [{ gas?: string }];
  const gas = Math.min(Number(call.gas ?? 10_000_000), 10_000_000);
  return forward({ ...request, params: [{ ...call, gas: `0x${gas.toString(16)}` }, ...rest] });
};

test.each<[string, RegExp, AnvilOptions, Layer[]]>([
  ['before Cancun', /does not run the instructions of Cancun/, { hardfork: 'shanghai' }, []],
  ['before London', /has no base fee .*feeModel to "legacy"/, { hardfork: 'berlin' }, []],
  [
    'without EIP-1898',
    /without eth_call at a block hash \(EIP-1898\)/,
    {},
    [refuse(-32_602, noObject, (request) => request.method !== 'eth_getLogs' && asksAtHash(request))],
  ],
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

test('a node without eth_maxPriorityFeePerGas is asked for its gas price', async () => {
  const isMissing = ({ method }: RpcRequest): boolean => method === 'eth_maxPriorityFeePerGas';
  const mintmark = await start(
    {},
    refuse(-32_601, 'the method eth_maxPriorityFeePerGas does not exist/is not available', isMissing),
  );
  const account = await mintmark.register();
  expect((await requestMint(account, await deployToken(account))).status).toBe(200);
});
