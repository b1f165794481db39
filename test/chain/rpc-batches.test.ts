import { describe, expect, test } from '@jest/globals';
import { RpcUnreachable, createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';
import type { RpcCall, Script } from '../setup/scripted-node.ts';

/** Three calls that travel together; each asks for the balance of another account. */
const askThree = (rpc: Rpc): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(['a', 'b', 'c'].map((account) => rpc.call('eth_getBalance', [account])));
const values = (answers: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'));
const balanceOf = answerEach(({ params }) => ({ result: `of ${String(params[0])}` }));

describe('a batch', () => {
  test('is one HTTP request, and its answers may come in any order', async () => {
    await using node = await startScriptedNode((calls, response, isBatch) =>
      balanceOf(calls.toReversed(), response, isBatch),
    );
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['of a', 'of b', 'of c']);
    expect(node.requests).toEqual([['eth_getBalance', 'eth_getBalance', 'eth_getBalance']]);
  });

  test('that asks whether the chain is there asks for its id once', async () => {
    await using node = await startScriptedNode(answerEach(() => ({ result: '0x7a69' })));
    using rpc = createRpc([node.url]);
    await rpc.identify();
    await rpc.call('eth_chainId', []);
    const before = node.requests.length;
    await rpc.call('eth_chainId', []);
    const asked = node.requests.slice(before).flat();
    expect(asked.filter((method) => method === 'eth_chainId')).toHaveLength(1);
  });

  test('with one refused call resolves the others', async () => {
    await using node = await startScriptedNode(
      answerEach(({ params }) =>
        params[0] === 'b'
          ? { error: { code: -32_000, message: 'no' } }
          : { result: `of ${String(params[0])}` },
      ),
    );
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['of a', 'refused', 'of c']);
  });

  test('with one unanswered call resolves the others', async () => {
    await using node = await startScriptedNode((calls, response) => {
      const answers = calls.slice(1).map(({ id, params }) => ({ id, result: `of ${String(params[0])}` }));
      response.end(JSON.stringify(answers));
    });
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['refused', 'of b', 'of c']);
  });

  test('is not sent again to an endpoint that refuses batches: each call is sent alone', async () => {
    await using node = await startScriptedNode((calls, response, isBatch) => {
      if (isBatch) response.writeHead(413).end('too large');
      else balanceOf(calls, response, isBatch);
    });
    using rpc = createRpc([node.url]);
    await askThree(rpc);
    for (let round = 0; round < 3; round += 1)
      expect(values(await askThree(rpc))).toEqual(['of a', 'of b', 'of c']);
    expect(node.requests.filter((methods) => methods.length > 1)).toHaveLength(1);
  });
});

type Refuse = (calls: RpcCall[]) => { status?: number; body: unknown };

const TOO_LARGE = { code: -32_600, message: 'batch too large' };

/** How nodes and providers refuse a batch that has too many calls for them. */
const REFUSALS: [string, Refuse][] = [
  ['an error object without an id', () => ({ body: { jsonrpc: '2.0', id: null, error: TOO_LARGE } })],
  [
    'an error object with the id of the first call',
    ([call]) => ({ body: { id: call!.id, error: { code: -32_005, message: 'too much' } } }),
  ],
  ['an array with one error without an id', () => ({ body: [{ id: null, error: TOO_LARGE }] })],
  [
    'an array with one error under the id of the first call, as geth does',
    ([call]) => ({ body: [{ jsonrpc: '2.0', id: call!.id, error: TOO_LARGE }] }),
  ],
  [
    'an array with one error under the id of the first call that says nothing of batches',
    ([call]) => ({ body: [{ id: call!.id, error: { code: -32_000, message: 'not now' } }] }),
  ],
  [
    'the same error for each call',
    (calls) => ({
      body: calls.map(({ id }) => ({ id, error: { code: -32_005, message: 'Batch limit 2' } })),
    }),
  ],
  ['HTTP 413 without JSON', () => ({ status: 413, body: 'too large' })],
  ['HTTP 400 with an error', () => ({ status: 400, body: { id: null, error: TOO_LARGE } })],
  ['HTTP 429 without JSON', () => ({ status: 429, body: 'slow down' })],
  ['HTTP 500 with an error', () => ({ status: 500, body: { error: { code: 31, message: 'Batch of 3' } } })],
  ['no answers', () => ({ body: [] })],
  [
    'answers to the first calls only',
    (calls) => ({
      body: calls.slice(0, 2).map(({ id, params }) => ({ id, result: `of ${String(params[0])}` })),
    }),
  ],
  [
    'errors for the calls that it does not get to',
    (calls) => ({
      body: calls.map(({ id, params }, place) =>
        place < 2
          ? { id, result: `of ${String(params[0])}` }
          : { id, error: { code: -32_003, message: 'response too large' } },
      ),
    }),
  ],
];

/** Takes batches of at most `most` calls. */
const takesAtMost =
  (most: number, refuse: Refuse): Script =>
  (calls, response, isBatch) => {
    if (calls.length <= most) return balanceOf(calls, response, isBatch);
    const { status = 200, body } = refuse(calls);
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const askMany = (rpc: Rpc, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => rpc.call<string>('eth_getBalance', [index])));
const ofMany = (count: number): string[] => Array.from({ length: count }, (_, index) => `of ${index}`);
const sizes = (requests: readonly string[][]): number[] => requests.map(({ length }) => length);

describe.each(REFUSALS)('an endpoint that refuses a batch with %s', (_form, refuse) => {
  test('gets it in smaller ones, and each call its own answer', async () => {
    await using node = await startScriptedNode(takesAtMost(2, refuse));
    using rpc = createRpc([node.url]);
    expect(await askMany(rpc, 9)).toEqual(ofMany(9));
    const learnt = node.requests.length;
    expect(await askMany(rpc, 9)).toEqual(ofMany(9));
    expect(Math.max(...sizes(node.requests.slice(learnt)))).toBeLessThanOrEqual(2);
  });

  test('gets single calls when it takes no batches', async () => {
    await using node = await startScriptedNode(takesAtMost(1, refuse));
    using rpc = createRpc([node.url]);
    expect(await askMany(rpc, 9)).toEqual(ofMany(9));
    const learnt = node.requests.length;
    expect(await askMany(rpc, 9)).toEqual(ofMany(9));
    expect(sizes(node.requests.slice(learnt))).toEqual(Array(9).fill(1));
  });
});

test('larger batches are tried again after half a minute, until one is refused', async () => {
  using clock = installMonotonicClock();
  let most = 2;
  const refuse: Refuse = () => ({ status: 413, body: '' });
  await using node = await startScriptedNode((...args) => takesAtMost(most, refuse)(...args));
  using rpc = createRpc([node.url]);
  const largest = async (): Promise<number> => {
    const before = node.requests.length;
    expect(await askMany(rpc, 20)).toEqual(ofMany(20));
    return Math.max(...sizes(node.requests.slice(before)));
  };
  await largest();
  expect(await largest()).toBeLessThanOrEqual(2);
  clock.advance(31_000);
  expect(await largest()).toBeGreaterThan(2);
  expect(await largest()).toBeLessThanOrEqual(2);
  most = 100;
  clock.advance(31_000);
  for (let round = 0; round < 6; round += 1) await largest();
  expect(await largest()).toBe(20);
});

test('no batch has more calls than the profile of the chain allows', async () => {
  await using node = await startScriptedNode(balanceOf);
  using rpc = createRpc([node.url]);
  rpc.limitBatches(4);
  expect(await askMany(rpc, 10)).toEqual(ofMany(10));
  expect(sizes(node.requests)).toEqual([4, 4, 2]);
});

test('a profile that allows more calls lets no endpoint have more than it took before', async () => {
  await using node = await startScriptedNode(takesAtMost(2, () => ({ status: 413, body: 'too large' })));
  using rpc = createRpc([node.url]);
  await askMany(rpc, 9);
  const learnt = node.requests.length;
  rpc.limitBatches(1_000);
  await askMany(rpc, 9);
  expect(Math.max(...sizes(node.requests.slice(learnt)))).toBeLessThanOrEqual(2);
});

describe('the answers of a batch', () => {
  /** Returns what `batch` makes of a batch, and `alone` for a call that comes alone. */
  const answering =
    (batch: (calls: RpcCall[]) => unknown[]): Script =>
    (calls, response, isBatch) => {
      if (isBatch) response.end(JSON.stringify(batch(calls)));
      else answerEach(({ params }) => ({ result: `alone ${String(params[0])}` }))(calls, response, isBatch);
    };
  const result = ({ id, params }: RpcCall) => ({ id, result: `of ${String(params[0])}` });

  test.each<[string, (calls: RpcCall[]) => unknown[], string[]]>([
    [
      'an unknown id',
      ([a, , c]) => [result(a!), { id: 7, result: 'x' }, result(c!)],
      ['of a', 'alone b', 'of c'],
    ],
    [
      'an id as text',
      ([a, , c]) => [result(a!), { id: '1', result: 'x' }, result(c!)],
      ['of a', 'alone b', 'of c'],
    ],
    [
      'two answers under one id',
      ([a, b, c]) => [result(a!), { id: a!.id, result: 'x' }, result(b!), result(c!)],
      ['alone a', 'of b', 'of c'],
    ],
    [
      'an error without an id',
      ([a, , c]) => [result(a!), { id: null, error: { code: -32_000, message: 'no' } }, result(c!)],
      ['of a', 'alone b', 'of c'],
    ],
    [
      'neither result nor error',
      ([a, b, c]) => [result(a!), { id: b!.id }, result(c!)],
      ['of a', 'alone b', 'of c'],
    ],
    ['what is no answer', ([a, , c]) => [result(a!), null, 'x', result(c!)], ['of a', 'alone b', 'of c']],
  ])('with %s are matched by id alone, and the rest is asked again', async (_name, batch, expected) => {
    await using node = await startScriptedNode(answering(batch));
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(expected);
  });

  test('are kept when one of them is a revert with a text about batches', async () => {
    const error = { code: 3, message: 'execution reverted: batch too large', data: '0x08c379a0' };
    await using node = await startScriptedNode(
      answerEach(({ params }) => (params[0] === 'b' ? { error } : { result: `of ${String(params[0])}` })),
    );
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['of a', 'refused', 'of c']);
    expect(sizes(node.requests)).toEqual([3]);
  });

  test('that ask for a key are not asked for again', async () => {
    await using node = await startScriptedNode((_calls, response) => {
      response
        .writeHead(401)
        .end(JSON.stringify({ error: { code: -32_000, message: 'Must be authenticated!' } }));
    });
    using rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['refused', 'refused', 'refused']);
    expect(sizes(node.requests)).toEqual([3]);
  });
});

test.each([
  ['under an unknown id', { id: 7, result: '0x1' }],
  ['under no id', { result: '0x1' }],
  [
    'twice',
    [
      { id: 0, result: '0x1' },
      { id: 0, result: '0x2' },
    ],
  ],
  ['that is none', 'x'],
])('an answer %s to a single call is none', async (_name, body) => {
  await using node = await startScriptedNode((_calls, response) => void response.end(JSON.stringify(body)));
  using rpc = createRpc([node.url]);
  await expect(rpc.call('eth_chainId', [])).rejects.toThrow(RpcUnreachable);
});

describe('an error that says that the endpoint cannot answer', () => {
  test.each([
    [-32_005, 'limit exceeded'],
    [-32_603, 'internal error'],
    [-32_097, 'too many requests'],
  ])('%i sends the call to the next endpoint', async (code, message) => {
    await using troubled = await startScriptedNode(answerEach(() => ({ error: { code, message } })));
    await using sound = await startScriptedNode(answerEach(() => ({ result: '0x7' })));
    using rpc = createRpc([troubled.url, sound.url]);
    expect(await rpc.call('eth_gasPrice', [])).toBe('0x7');
    expect([troubled.requests, sound.requests]).toEqual([[['eth_gasPrice']], [['eth_gasPrice']]]);
  });

  test('is the error of the call when the other endpoints fail as well', async () => {
    const troubled = answerEach(() => ({ error: { code: -32_005, message: 'limit exceeded' } }));
    await using first = await startScriptedNode(troubled);
    await using second = await startScriptedNode(troubled);
    using rpc = createRpc([first.url, second.url]);
    await expect(rpc.call('eth_gasPrice', [])).rejects.toMatchObject({
      name: 'RpcRefused',
      rpcCode: -32_005,
      message: 'limit exceeded',
    });
  });
});

test.each([
  [3, 'execution reverted'],
  [-32_000, 'nonce too low'],
  [-32_602, 'invalid params'],
])('the refusal %i is an answer: no other endpoint is asked', async (code, message) => {
  await using refusing = await startScriptedNode(
    answerEach(() => ({ error: { code, message, data: '0xabcd' } })),
  );
  await using other = await startScriptedNode(answerEach(() => ({ result: '0x7' })));
  using rpc = createRpc([refusing.url, other.url]);
  await expect(rpc.call('eth_call', [])).rejects.toMatchObject({ rpcCode: code, message, data: '0xabcd' });
  expect(other.requests).toEqual([]);
});
