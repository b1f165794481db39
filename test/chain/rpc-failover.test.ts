import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { OtherChain, RpcRefused, RpcUnreachable, createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { until } from '../setup/until.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';
import type { MonotonicClock } from '../setup/monotonic-clock.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

interface Endpoint {
  url: string;
  chainId: number;
  height: number;
  isUp: boolean;
  /** So many of the next requests are never answered. */
  unanswered: number;
  /** Methods that it was asked, in order. */
  asked: string[];
  /** Where it gets its answers; null: from itself. */
  node: string | null;
  server: Server;
}

interface Call {
  id: number;
  method: string;
}

/** Something that answers like a node, or hands everything on to one, until it goes down. */
async function startEndpoint(given: Partial<Pick<Endpoint, 'chainId' | 'height' | 'node'>> = {}) {
  const server = createServer((request, response) => {
    if (!endpoint.isUp) return void request.socket.destroy();
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const parsed = JSON.parse(body) as Call | Call[];
      const calls = Array.isArray(parsed) ? parsed : [parsed];
      endpoint.asked.push(...calls.map(({ method }) => method));
      endpoint.unanswered -= 1;
      if (endpoint.unanswered >= 0) return;
      if (endpoint.node !== null) {
        const headers = { 'Content-Type': 'application/json' };
        fetch(endpoint.node, { method: 'POST', headers, body })
          .then(async (answer) => response.end(await answer.text()))
          .catch(() => request.socket.destroy());
        return;
      }
      const resultOf = (method: string): string => {
        if (method === 'eth_getCode') return '0x';
        return hex(method === 'eth_chainId' ? endpoint.chainId : endpoint.height);
      };
      const answers = calls.map(({ id, method }) => ({ id, result: resultOf(method) }));
      response.end(JSON.stringify(answers.length === 1 ? answers[0] : answers));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint: Endpoint = {
    ...{ url, chainId: 5, height: 100, isUp: true, unanswered: 0, asked: [], node: null, server },
    ...given,
  };
  open.push(endpoint);
  return endpoint;
}

const hex = (number: number): string => `0x${number.toString(16)}`;
const open: Endpoint[] = [];
const rpcs: Rpc[] = [];

function createFor(...endpoints: Endpoint[]): Rpc {
  const rpc = createRpc(endpoints.map(({ url }) => url));
  rpcs.push(rpc);
  return rpc;
}

const height = async (rpc: Rpc): Promise<number> => Number(await rpc.call<string>('eth_blockNumber', []));

afterEach(() => {
  for (const rpc of rpcs.splice(0)) rpc.close();
  for (const { server } of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('of several endpoints', () => {
  test('the first one is used for as long as it answers', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint()];
    const rpc = createFor(a, b);
    expect(await rpc.identify()).toBe(5n);
    b.asked.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => height(rpc)));
    expect(b.asked).toEqual([]);
  });

  test('the next one is used when the first is unreachable from the start', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint({ height: 123 })];
    a.isUp = false;
    const rpc = createFor(a, b);
    expect(await rpc.identify()).toBe(5n);
    expect(await height(rpc)).toBe(123);
    expect(rpc.unreachableForMs()).toBe(0);
  });

  test('after a failure all go to the next one, also when the first is just back', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint()];
    const rpc = createFor(a, b);
    await rpc.identify();
    await height(rpc);
    a.isUp = false;
    expect(await Promise.all(Array.from({ length: 20 }, () => height(rpc)))).toEqual(Array(20).fill(100));
    a.isUp = true;
    a.asked.length = 0;
    await height(rpc);
    expect(a.asked).toEqual([]);
    b.isUp = false;
    expect(await height(rpc)).toBe(100);
    expect(a.asked[0]).toBe('eth_chainId');
  });

  test('each is asked what every one of them may know, and those are left out that do not answer', async () => {
    const endpoints = [await startEndpoint(), await startEndpoint({ height: 123 }), await startEndpoint()];
    const rpc = createFor(...endpoints);
    const ask = () => rpc.callEach<string>('eth_getTransactionCount', []);
    expect(await ask()).toEqual(['0x64', '0x7b', '0x64']);
    endpoints[0]!.isUp = false;
    expect(await ask()).toEqual(['0x7b', '0x64']);
    for (const endpoint of endpoints) endpoint.isUp = false;
    await expect(ask()).rejects.toThrow(RpcUnreachable);
  });

  test('one that is down when it is checked for the first time is asked once it is back', async () => {
    const [first, second] = [await startEndpoint(), await startEndpoint({ height: 123 })];
    const rpc = createFor(first, second);
    await rpc.identify();
    const ask = () => rpc.callEach<string>('eth_getTransactionCount', []);
    second.isUp = false;
    expect(await ask()).toEqual(['0x64']);
    second.isUp = true;
    expect(await ask()).toEqual(['0x64', '0x7b']);
  });

  test('where none answers, one that refuses says more than one that is down', async () => {
    const down = await startEndpoint();
    down.isUp = false;
    const refused = { error: { code: -32_602, message: 'no such tag' } };
    await using node = await startScriptedNode(answerEach(() => refused));
    using rpc = createRpc([down.url, node.url]);
    await expect(rpc.callEach('eth_getTransactionCount', [])).rejects.toThrow(RpcRefused);
  });

  test('with none left the error says so, and they are used again when they are back', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint()];
    const rpc = createFor(a, b);
    await rpc.identify();
    a.isUp = b.isUp = false;
    await expect(height(rpc)).rejects.toThrow(RpcUnreachable);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rpc.unreachableForMs()).toBeGreaterThan(0);
    b.isUp = true;
    expect(await height(rpc)).toBe(100);
    expect(rpc.unreachableForMs()).toBe(0);
  });
});

describe('an endpoint that stands before the one in use', () => {
  /** Longer than the time between two looks at it. */
  const LOOK_MS = 11_000;

  /** An endpoint that failed and is back, and the one that is in use since then. */
  async function startLeft(given: Parameters<typeof startEndpoint>[0] = {}) {
    const [first, second] = [await startEndpoint(given), await startEndpoint()];
    const rpc = createFor(first, second);
    await rpc.identify();
    await height(rpc);
    first.isUp = false;
    await height(rpc);
    Object.assign(first, { isUp: true, asked: [] });
    return { first, second, rpc };
  }
  const usedBy = async (rpc: Rpc): Promise<number> => (await rpc.callFrom('eth_blockNumber', [])).endpoint;
  /** Lets a look that has begun come to its end. */
  const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

  test('is used again when it is fit, after ten seconds', async () => {
    using clock = installMonotonicClock();
    const { first, rpc } = await startLeft();
    expect(await usedBy(rpc)).toBe(2);
    expect(first.asked).toEqual([]);
    clock.advance(LOOK_MS);
    expect(await usedBy(rpc)).toBe(2);
    await settle();
    expect(await usedBy(rpc)).toBe(1);
    expect(first.asked).toEqual(['eth_blockNumber', 'eth_chainId', 'eth_blockNumber']);
  });

  test.each([
    ['is behind', { height: 99 }],
    ['is of another chain', { chainId: 6 }],
    ['does not answer', { isUp: false }],
  ])('is not used while it %s', async (_why, trouble) => {
    using clock = installMonotonicClock();
    const { first, rpc } = await startLeft();
    Object.assign(first, trouble);
    for (let looks = 0; looks < 3; looks += 1) {
      clock.advance(LOOK_MS);
      expect(await usedBy(rpc)).toBe(2);
      await settle();
      expect(await usedBy(rpc)).toBe(2);
    }
    Object.assign(first, { height: 100, chainId: 5, isUp: true });
    clock.advance(LOOK_MS);
    await usedBy(rpc);
    await settle();
    expect(await usedBy(rpc)).toBe(1);
  });

  test('is tried less often when it fails again soon', async () => {
    using clock = installMonotonicClock();
    const { first, rpc } = await startLeft();
    const returnAfter = async (): Promise<number> => {
      for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
        await usedBy(rpc);
        await settle();
        if ((await usedBy(rpc)) === 1) return waitedMs;
        clock.advance(LOOK_MS);
      }
    };
    const waits: number[] = [];
    for (let times = 0; times < 4; times += 1) {
      waits.push(await returnAfter());
      first.isUp = false;
      expect(await usedBy(rpc)).toBe(2);
      first.isUp = true;
    }
    expect(waits).toEqual([1, 2, 4, 8].map((times) => Math.ceil((times * 10_000) / LOOK_MS) * LOOK_MS));
  });
});

describe('an endpoint that answers', () => {
  /** Longer than the time between two looks at all endpoints. */
  const WATCH_MS = 3_500;
  const usedBy = async (rpc: Rpc): Promise<number> => (await rpc.callFrom('eth_gasPrice', [])).endpoint;
  /** A call that begins a look, and lets it come to its end. */
  async function lookAfter(clock: MonotonicClock, rpc: Rpc, ms: number): Promise<void> {
    const before = rpc.counts()['eth_chainId'] ?? 0;
    clock.advance(ms);
    await usedBy(rpc);
    await until(async () => (rpc.counts()['eth_chainId'] ?? 0) > before);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const expectUsed = (rpc: Rpc, endpoint: number): Promise<boolean> =>
    until(async () => (await usedBy(rpc)) === endpoint);
  async function startTwo() {
    const endpoints = [await startEndpoint(), await startEndpoint()] as const;
    const rpc = createFor(...endpoints);
    await rpc.identify();
    await height(rpc);
    return { first: endpoints[0], second: endpoints[1], rpc };
  }

  test('and stands still is left once another one is eight seconds ahead, and used again when it has caught up', async () => {
    using clock = installMonotonicClock();
    const { first, second, rpc } = await startTwo();
    second.height = 101;
    await lookAfter(clock, rpc, WATCH_MS);
    expect(await usedBy(rpc)).toBe(1);
    second.height = 105;
    await lookAfter(clock, rpc, 8_000);
    await expectUsed(rpc, 2);
    await lookAfter(clock, rpc, 11_000);
    expect(await usedBy(rpc)).toBe(2);
    // It is not used when the other one fails a call, either.
    second.isUp = false;
    await expect(usedBy(rpc)).rejects.toThrow('is at block 100, behind block 105');
    second.isUp = true;
    await usedBy(rpc);
    first.height = 105;
    await lookAfter(clock, rpc, 11_000);
    await expectUsed(rpc, 1);
  });

  test('and is always a block behind is not left', async () => {
    using clock = installMonotonicClock();
    const { first, second, rpc } = await startTwo();
    for (let looks = 0; looks < 5; looks += 1) {
      first.height += 1;
      second.height = first.height + 1;
      await lookAfter(clock, rpc, WATCH_MS);
    }
    expect(await usedBy(rpc)).toBe(1);
  });

  test('for another chain since then is left at the next look', async () => {
    using clock = installMonotonicClock();
    const { first, rpc } = await startTwo();
    first.chainId = 6;
    await lookAfter(clock, rpc, WATCH_MS);
    await expectUsed(rpc, 2);
    first.chainId = 5;
    await lookAfter(clock, rpc, 11_000);
    await expectUsed(rpc, 1);
  });

  test.each([
    ['since the last look', async () => undefined],
    ['before a look, and shows blocks of it', height],
  ])(
    'for another chain that has more blocks, %s, keeps no other one from being used',
    async (_when, show) => {
      using clock = installMonotonicClock();
      const { first, rpc } = await startTwo();
      Object.assign(first, { chainId: 6, height: 1_000_000 });
      await show(rpc);
      await lookAfter(clock, rpc, WATCH_MS);
      await lookAfter(clock, rpc, WATCH_MS);
      expect(await usedBy(rpc)).toBe(2);
    },
  );

  test('and has another genesis block is refused, in a sentence, until it has the right one', async () => {
    using clock = installMonotonicClock();
    let hash = '0xa';
    await using node = await startScriptedNode(
      answerEach(({ method }) => ({ result: method === 'eth_getBlockByNumber' ? { hash } : '0x5' })),
    );
    using rpc = createRpc([node.url]);
    await rpc.identify();
    rpc.expectGenesis('0xa');
    expect(await usedBy(rpc)).toBe(1);
    hash = '0xb';
    await lookAfter(clock, rpc, 2 * WATCH_MS);
    await until(() =>
      usedBy(rpc).then(
        () => false,
        (error) => error instanceof OtherChain,
      ),
    );
    expect(rpc.otherChain()).toMatch(/^The database belongs to another chain 5: the genesis block/);
    expect(rpc.unreachableForMs()).toBeGreaterThan(0);
    hash = '0xa';
    expect(await usedBy(rpc)).toBe(1);
    expect(rpc.otherChain()).toBeNull();
  });

  test('and lacks the contract of the chain is refused, in a sentence, by who asks whether the chain is there', async () => {
    let [count, code] = ['0x1', '0x'];
    await using node = await startScriptedNode(
      answerEach(({ method }) => {
        if (method === 'eth_getCode') return { result: code };
        return { result: method === 'eth_getTransactionCount' ? count : '0x5' };
      }),
    );
    using rpc = createRpc([node.url]);
    await rpc.identify();
    rpc.expectContract('0xc0');
    expect(await rpc.call('eth_chainId', [])).toBe('0x5');
    count = '0x0';
    await expect(rpc.call('eth_chainId', [])).rejects.toThrow(OtherChain);
    await expect(rpc.call('eth_call', [])).rejects.toThrow(OtherChain);
    expect(rpc.otherChain()).toMatch(/^The chain behind RPC_URL lacks the contracts of this database/);
    // One that came with the genesis block has code, and no count.
    code = '0x60';
    expect(await usedBy(rpc)).toBe(1);
    expect(rpc.otherChain()).toBeNull();
    [count, code] = ['0x1', '0x'];
    expect(await rpc.call('eth_chainId', [])).toBe('0x5');
  });

  test('and lacks the contract while the other one does not answer is no reason to say that the chain is another one', async () => {
    const { first, second, rpc } = await startTwo();
    await usedBy(rpc);
    rpc.expectContract('0xc0');
    // It is not synchronised yet.
    Object.assign(second, { height: 0 });
    first.isUp = false;
    await expect(rpc.call('eth_chainId', [])).rejects.toThrow(OtherChain);
    expect(rpc.otherChain()).toBeNull();
    Object.assign(first, { isUp: true, height: 0 });
    await expect(rpc.call('eth_chainId', [])).rejects.toThrow(OtherChain);
    expect(rpc.otherChain()).toMatch(/lacks the contracts of this database/);
  });

  test('and does not tell whether it has the contract, as one that limits some calls, counts as one that has', async () => {
    let isBusy = false;
    await using node = await startScriptedNode((calls, response, isBatch) => {
      // The call after it makes the check anew.
      if (isBusy && calls.some(({ method }) => method === 'eth_call')) return void response.destroy();
      const refused = { error: { code: -32_005, message: 'limit exceeded' } };
      answerEach(({ method }) => (method === 'eth_getTransactionCount' ? refused : { result: '0x5' }))(
        calls,
        response,
        isBatch,
      );
    });
    using rpc = createRpc([node.url]);
    await rpc.identify();
    rpc.expectContract('0xc0');
    isBusy = true;
    await expect(rpc.call('eth_call', [])).rejects.toThrow(RpcUnreachable);
    await expect(rpc.call('eth_getTransactionCount', [])).rejects.toThrow('limit exceeded');
    expect(rpc.unreachableForMs()).toBe(0);
    expect(await rpc.call('eth_chainId', [])).toBe('0x5');
  });

  test('is asked nothing while no calls are made, or only whether the chain is there', async () => {
    using clock = installMonotonicClock();
    const { first, second, rpc } = await startTwo();
    first.asked.length = second.asked.length = 0;
    for (let minutes = 0; minutes < 3; minutes += 1) {
      clock.advance(60_000);
      await rpc.call('eth_chainId', []);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect([new Set(first.asked), second.asked]).toEqual([new Set(['eth_chainId']), []]);
  });

  test('gets each signed transaction, whichever of them is in use', async () => {
    const { first, second, rpc } = await startTwo();
    await rpc.call('eth_sendRawTransaction', ['0x']);
    await until(async () => [first, second].every(({ asked }) => asked.includes('eth_sendRawTransaction')));
  });

  test('as it should is chosen, and one that does not fit is left', async () => {
    const { second, rpc } = await startTwo();
    second.height = 107;
    const choose = (wanted: number, above = 0n) =>
      rpc.choose('eth_gasPrice', [], above, (answer) => Number(answer) === wanted);
    expect(await choose(100)).toBe(true);
    expect(await usedBy(rpc)).toBe(1);
    expect(await choose(8)).toBe(false);
    expect(await choose(107)).toBe(true);
    expect(await usedBy(rpc)).toBe(2);
    // The second one is known to be ahead of it.
    expect(await choose(100, 100n)).toBe(false);
    expect(await choose(100, 99n)).toBe(true);
    expect(await choose(107, 107n)).toBe(true);
    rpc.leave();
    expect(rpc.endpointInUse()).toBe(1);
  });

  test('as the only one is chosen for an answer that fits, at the height that it has shown', async () => {
    const only = await startEndpoint();
    const rpc = createFor(only);
    await rpc.identify();
    await height(rpc);
    expect(await rpc.choose('eth_gasPrice', [], 99n, () => true)).toBe(true);
  });

  test('by several backends is not chosen for what one says that stands still, at the height of another one', async () => {
    let requests = 0;
    await using node = await startScriptedNode((...asked) => {
      requests += 1;
      const isStill = requests % 2 === 0;
      const result = {
        eth_chainId: '0x5',
        eth_blockNumber: isStill ? '0x64' : '0x6e',
        eth_getBlockByNumber: isStill ? 'old' : 'new',
      };
      answerEach(({ method }) => ({ result: result[method as keyof typeof result] }))(...asked);
    });
    using rpc = createRpc([node.url]);
    await rpc.identify();
    // Both have shown their heights.
    await height(rpc);
    await height(rpc);
    const isOld = () => rpc.choose('eth_getBlockByNumber', ['0x60', false], 100n, (block) => block === 'old');
    expect([await isOld(), await isOld(), await isOld(), await isOld()]).toEqual(Array(4).fill(false));
  });
});

test.each([
  ['eth_getBalance', -32_000, 'missing trie node b03d (path )'],
  ['eth_getLogs', -32_001, "Receipt not available for 'From' block '18908896'"],
  ['eth_getTransactionReceipt', -32_000, 'getReceipts error: nonce too low: address 0x00, tx: 1 state: 2'],
])(
  'what the first endpoint does not know is asked of the next one, and all else stays with the first: %s',
  async (asked, code, message) => {
    await using pruned = await startScriptedNode(
      answerEach(({ method }) => (method === asked ? { error: { code, message } } : { result: '0x1' })),
    );
    await using archive = await startScriptedNode(answerEach(() => ({ result: '0x2' })));
    using rpc = createRpc([pruned.url, archive.url]);
    expect(await rpc.callFrom(asked, [])).toEqual({ answer: '0x2', endpoint: 2 });
    expect(await rpc.callFrom('eth_gasPrice', [])).toEqual({ answer: '0x1', endpoint: 1 });
  },
);

test('what an endpoint says of a transaction that it does not take is an answer, whatever its code', async () => {
  const error = { code: -32_001, message: 'Nonce too low' };
  await using first = await startScriptedNode(answerEach(() => ({ error })));
  await using second = await startScriptedNode(answerEach(() => ({ result: '0x2' })));
  using rpc = createRpc([first.url, second.url]);
  await expect(rpc.call('eth_sendRawTransaction', ['0x'])).rejects.toMatchObject({ kind: 'other' });
});

test('what no endpoint knows is refused as the first one said, without a wait for one that is down', async () => {
  const error = { code: -32_000, message: 'unknown block' };
  await using first = await startScriptedNode(answerEach(() => ({ error })));
  await using second = await startScriptedNode((_calls, response) => void response.destroy());
  using rpc = createRpc([first.url, second.url]);
  for (let round = 0; round < 3; round += 1) {
    await expect(rpc.call('eth_getLogs', [])).rejects.toMatchObject({
      name: 'RpcRefused',
      kind: 'unknown-block',
    });
  }
  expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
  expect(rpc.unreachableForMs()).toBe(0);
});

describe('a call', () => {
  const silent = () => startScriptedNode(() => undefined);

  test('ends in time when no endpoint answers, and says so', async () => {
    await using a = await silent();
    await using b = await silent();
    await using c = await silent();
    using rpc = createRpc([a.url, b.url, c.url], { timeoutMs: 600 });
    const began = performance.now();
    const error: unknown = await rpc.call('eth_chainId', []).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RpcUnreachable);
    expect(String(error)).toMatch(/eth_chainId: no answer within \d+ ms/);
    // Twice the time of one request, for however many endpoints.
    expect(performance.now() - began).toBeGreaterThan(1_100);
    expect(rpc.unreachableForMs()).toBeGreaterThan(1_100);
    expect([a, b, c].map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
  });

  test('gets to the last endpoint when those before it never answer', async () => {
    await using a = await silent();
    await using b = await silent();
    await using c = await startScriptedNode(answerEach(() => ({ result: '0x1' })));
    using rpc = createRpc([a.url, b.url, c.url], { timeoutMs: 1_500 });
    expect(await rpc.callFrom('eth_chainId', [])).toEqual({ answer: '0x1', endpoint: 3 });
  });

  test('that waits behind others ends in time too, and is not sent any more', async () => {
    const held: (() => void)[] = [];
    await using node = await startScriptedNode((calls, response, isBatch) => {
      held.push(() => answerEach(() => ({ result: '0x1' }))(calls, response, isBatch));
    });
    using rpc = createRpc([node.url], { timeoutMs: 2_000 });
    rpc.limitBatches(1);
    const ended = await Promise.allSettled(Array.from({ length: 300 }, () => rpc.call('eth_gasPrice', [])));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    // 64 at a time, for the time of one request and of another one.
    expect(node.requests.length).toBeLessThanOrEqual(192);
  });
});

test('a wall clock that is set back or forward changes nothing', async () => {
  const [a, b] = [await startEndpoint(), await startEndpoint()];
  const rpc = createFor(a, b);
  await rpc.identify();
  const now = jest.spyOn(Date, 'now');
  for (const hours of [-1, 1]) {
    now.mockReturnValue(Date.now() + hours * 3_600_000);
    a.isUp = b.isUp = false;
    await expect(height(rpc)).rejects.toThrow(RpcUnreachable);
    expect(rpc.unreachableForMs()).toBeGreaterThanOrEqual(0);
    expect(rpc.unreachableForMs()).toBeLessThan(60_000);
    a.isUp = b.isUp = true;
    expect(await height(rpc)).toBe(100);
    expect(rpc.unreachableForMs()).toBe(0);
  }
  now.mockRestore();
});

test('an endpoint that does not answer a call counts as unreachable since that call', async () => {
  await using node = await startScriptedNode(() => undefined);
  using rpc = createRpc([node.url], { timeoutMs: 300 });
  const began = performance.now();
  await expect(rpc.call('eth_blockNumber', [])).rejects.toThrow(RpcUnreachable);
  expect(rpc.unreachableForMs()).toBeGreaterThanOrEqual(295);
  expect(rpc.unreachableForMs()).toBeLessThanOrEqual(performance.now() - began);
});

describe('an endpoint of another chain', () => {
  test('stops the start, with a sentence that names it', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint({ chainId: 6 })];
    await expect(createFor(a, b).identify()).rejects.toThrow(
      'RPC_URL names endpoints of different chains: number 1 answers for chain 5, number 2 for chain 6; keep those of one chain',
    );
  });

  test('that was away at the start is never asked for more than its chain', async () => {
    const [a, b] = [await startEndpoint(), await startEndpoint({ chainId: 6 })];
    b.isUp = false;
    const rpc = createFor(a, b);
    await rpc.identify();
    b.isUp = true;
    a.isUp = false;
    await expect(rpc.call('eth_sendRawTransaction', ['0x'])).rejects.toThrow(
      /belongs to chain 5, but RPC_URL is chain 6/,
    );
    await expect(rpc.call('eth_sendRawTransaction', ['0x'])).rejects.toThrow(RpcUnreachable);
    expect(new Set(b.asked)).toEqual(new Set(['eth_chainId']));
    expect(rpc.unreachableForMs()).toBeGreaterThan(0);
    a.isUp = true;
    expect(await height(rpc)).toBe(100);
  });

  test('that comes back under the address of a good one is refused too', async () => {
    const a = await startEndpoint();
    const rpc = createFor(a);
    await rpc.identify();
    a.isUp = false;
    await expect(height(rpc)).rejects.toThrow(RpcUnreachable);
    Object.assign(a, { isUp: true, chainId: 6, asked: [] });
    await expect(height(rpc)).rejects.toThrow(/chain 6/);
    expect(a.asked).toEqual(['eth_chainId']);
  });
});

test('a check of an endpoint that never answers delays no call for long', async () => {
  const endpoint = await startEndpoint();
  const rpc = createFor(endpoint);
  await rpc.identify();
  endpoint.unanswered = 1;
  const began = performance.now();
  expect(await height(rpc)).toBe(100);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(endpoint.asked).toEqual(['eth_chainId', 'eth_chainId', 'eth_chainId', 'eth_blockNumber']);
});

describe('an endpoint that lags', () => {
  test('is not used before it has the blocks that another one has returned', async () => {
    const [a, b] = [await startEndpoint({ height: 120 }), await startEndpoint({ height: 119 })];
    const rpc = createFor(a, b);
    await rpc.identify();
    expect(await height(rpc)).toBe(120);
    a.isUp = false;
    await expect(height(rpc)).rejects.toThrow(/at block 119, behind block 120/);
    b.height = 120;
    expect(await height(rpc)).toBe(120);
  });

  test('is used again when it does not catch up, since the chain may have lost blocks', async () => {
    const [a, b] = [await startEndpoint({ height: 120 }), await startEndpoint({ height: 119 })];
    const rpc = createFor(a, b);
    await rpc.identify();
    await height(rpc);
    a.isUp = false;
    const startedAt = Date.now();
    let seen: number | null = null;
    while (seen === null && Date.now() - startedAt < 20_000) {
      seen = await height(rpc).catch(() => null);
      if (seen === null) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(seen).toBe(119);
    expect(Date.now() - startedAt).toBeGreaterThan(7_000);
  });
});

test('when the first endpoint fails under load and comes back, every mint is confirmed once', async () => {
  await using chain = await startAnvil();
  const [a, b] = [await startEndpoint({ node: chain.url }), await startEndpoint({ node: chain.url })];
  await using service = await startTestService({}, { rpcUrl: [a.url, b.url].join(',') });
  const account = await service.register();
  const token = await deployToken(account);
  const mints = (count: number) =>
    Array.from({ length: count }, async () => (await requestMint(account, token)).status);
  const first = mints(15);
  await new Promise((resolve) => setTimeout(resolve, 30));
  a.isUp = false;
  a.server.closeAllConnections();
  const second = mints(15);
  expect(await Promise.all([...first, ...second])).toEqual(Array(30).fill(200));
  a.isUp = true;
  b.isUp = false;
  b.server.closeAllConnections();
  expect(await Promise.all(mints(15))).toEqual(Array(15).fill(200));
  const answer = await fetch(chain.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'eth_call' },
      params: [{ to: token, data: '0x18160ddd' }, 'latest'],
    }),
  });
  expect(BigInt(((await answer.json()) as { result: string }).result)).toBe(45n);
});
