import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { DeepReorg, NotLinked, openFollower, openFollowerAnew } from '../../src/chain/follower/follower.ts';
import type { Follower, FollowerParts } from '../../src/chain/follower/follower.ts';
import type { Cursor } from '../../src/lib/block-id.ts';
import type { RefusalKind } from '../../src/chain/rpc/classify.ts';
import { RpcRefused, RpcUnreachable } from '../../src/chain/rpc/rpc.ts';
import { createTestRandom } from '../../lab/random.ts';
import { EMPTY_BLOOM, OPERATOR, createNode, hashOf } from '../setup/forked-node.ts';

const OTHER = `0x${'0c'.repeat(20)}`;

const PROFILE: FollowerParts['profile'] = {
  finality: 3,
  forkChoiceMs: 0,
  honestBlooms: true,
  mayHaveZeroParents: false,
};

const partsFor = (
  { rpc }: ReturnType<typeof createNode>,
  profile: Partial<FollowerParts['profile']> = {},
): FollowerParts => ({
  rpc,
  operators: [OPERATOR],
  profile: { ...PROFILE, ...profile },
  asksAll: () => false,
  looksForUnknown: () => false,
  onRead: () => undefined,
  spacing: { note: () => undefined },
});

const open = (
  node: ReturnType<typeof createNode>,
  profile: Partial<FollowerParts['profile']> = {},
  cursor: Cursor | null = null,
): Promise<Follower> => openFollower(partsFor(node, profile), cursor);

/** What was settled before, of the first fork. */
const cursorAt = (final: number, head: number): Cursor => ({
  final: { number: BigInt(final), hash: hashOf(final, []) },
  head: { number: BigInt(head), hash: hashOf(head, []) },
});

/** The last block of each step, and what is final then, until nothing is left. */
async function takeAllSteps(follower: Follower) {
  const steps = [];
  for (let step = await takeStep(follower); step; step = await takeStep(follower)) {
    steps.push([step.added.at(-1), step.final]);
  }
  return steps;
}

/** Looks and accepts; the numbers of what was removed and added, and the final one. */
async function takeStep(follower: Follower) {
  const step = await follower.look();
  if (!step) return null;
  follower.accept(step);
  return {
    removed: step.removed.map(({ number }) => Number(number)),
    added: step.added.map(({ number }) => Number(number)),
    final: Number(step.final.number),
  };
}

describe('a follower', () => {
  test('begins at the final block, and hands on what is above it, and then each new block', async () => {
    const node = createNode();
    const follower = await open(node);
    expect(await takeStep(follower)).toEqual({ removed: [], added: [9, 10], final: 8 });
    expect(await takeStep(follower)).toBeNull();
    node.height = 12;
    expect(await takeStep(follower)).toEqual({ removed: [], added: [11, 12], final: 10 });
  });

  test('asks for a new block once, and for its logs once', async () => {
    const node = createNode();
    const follower = await open(node);
    await takeStep(follower);
    node.calls.length = 0;
    node.height = 11;
    await takeStep(follower);
    expect(node.calls).toEqual(['eth_getBlockByNumber', 'eth_getLogs']);
  });

  test('asks for no logs of a block whose bloom excludes the Operator, if the profile believes blooms', async () => {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    await takeStep(await open(node));
    expect(node.calls).not.toContain('eth_getLogs');
    await takeStep(await open(node, { honestBlooms: false }));
    expect(node.calls).toContain('eth_getLogs');
  });

  test('hands on the blocks that a reorg removed, newest first, and those in their place', async () => {
    const node = createNode();
    const follower = await open(node, { finality: 5 });
    await takeStep(follower);
    node.forks = [{ name: 'b', from: 9 }];
    node.height = 11;
    expect(await takeStep(follower)).toEqual({ removed: [10, 9], added: [9, 10, 11], final: 7 });
    expect(follower.canonical.head.hash).toBe(hashOf(11, node.forks));
  });

  test('does not believe logs of another block', async () => {
    const node = createNode();
    const follower = await open(node);
    node.instead['eth_getLogs'] = () => [{ blockHash: hashOf(1, []), transactionHash: '0x', topics: [] }];
    await expect(follower.look()).rejects.toThrow(NotLinked);
  });

  test('does not believe a block whose parent is unknown', async () => {
    const node = createNode();
    const follower = await open(node);
    await takeStep(follower);
    node.forks = [{ name: 'b', from: 10 }];
    node.height = 11;
    node.instead['eth_getBlockByHash'] = () => null;
    await expect(follower.look()).rejects.toThrow(NotLinked);
    expect(Number(follower.canonical.head.number)).toBe(10);
  });

  test('says when what was final is final no longer', async () => {
    const node = createNode();
    const follower = await open(node);
    await takeStep(follower);
    node.forks = [{ name: 'b', from: 5 }];
    node.height = 11;
    await expect(follower.look()).rejects.toThrow(DeepReorg);
  });

  test('says so of a node that was reset to its genesis block, without asking for one before it', async () => {
    const node = createNode();
    const follower = await open(node, { mayHaveZeroParents: true });
    await takeStep(follower);
    const asked: unknown[] = [];
    node.rpc.call = async <T>(_method: string, [block]: readonly unknown[]): Promise<T> => {
      asked.push(block);
      const header = { number: '0x0', parentHash: `0x${'0'.repeat(64)}`, logsBloom: EMPTY_BLOOM };
      return { ...header, hash: hashOf(0, [{ name: 'b', from: 0 }]) } as T;
    };
    await expect(follower.look()).rejects.toThrow(DeepReorg);
    // Its head, and whether it has the one that was canonical.
    expect(asked).toEqual(['latest', '0xa']);
  });

  test('keeps the canonical fork while another one is not higher, and follows it when nothing else is shown', async () => {
    const node = createNode();
    const slow = await open(node, { forkChoiceMs: 3_600_000 });
    const quick = await open(node);
    await takeStep(slow);
    await takeStep(quick);
    node.forks = [{ name: 'b', from: 10 }];
    expect(await takeStep(slow)).toBeNull();
    expect(await takeStep(quick)).toEqual({ removed: [10], added: [10], final: 8 });
    node.height = 9;
    expect(await takeStep(slow)).toBeNull();
    expect(await takeStep(quick)).toEqual({ removed: [10], added: [], final: 8 });
    node.height = 11;
    expect(await takeStep(slow)).toEqual({ removed: [10], added: [10, 11], final: 9 });
  });

  test.each([
    [
      'reads on where another endpoint has the canonical head',
      [],
      { removed: [], added: [11, 12], final: 10 },
    ],
    ['takes back what no endpoint has', [{ name: 'b', from: 10 }], { removed: [10], added: [], final: 8 }],
  ])('%s, though one shows nothing else', async (_, forks, step) => {
    const [stopped, other] = [createNode(), createNode()];
    let used = stopped;
    const rpc: FollowerParts['rpc'] = {
      call: (...asked) => used.rpc.call(...asked),
      callEach: (...asked) => used.rpc.callEach(...asked),
      choose: async (...asked) => {
        for (const node of [stopped, other]) {
          if (!(await node.rpc.choose(...asked))) continue;
          used = node;
          return true;
        }
        return false;
      },
    };
    const follower = await openFollower({ ...partsFor(stopped), rpc }, null);
    await takeStep(follower);
    [stopped.height, other.height, other.forks] = [9, 12, forks];
    const isHeld = forks.length === 0;
    if (isHeld) expect(await takeStep(follower)).toBeNull();
    expect(await takeStep(follower)).toEqual(step);
  });

  test('has each log that an endpoint shows once, where one alone may hide them', async () => {
    const node = createNode();
    const callEach = async <T>(_method: string, params: readonly unknown[]): Promise<T[]> => {
      const [{ blockHash }] = params as [{ blockHash: string }];
      const logs = [2, 0, 1].map((index) => ({
        ...{ blockHash, logIndex: `0x${index}`, transactionHash: `0x0${index}` },
      }));
      return [[], logs.slice(0, 2), logs.slice(1)] as T[];
    };
    const rpc = { ...node.rpc, callEach };
    const follower = await openFollower({ ...partsFor(node), rpc, asksAll: () => true }, null);
    const step = await follower.look();
    const hashes = step!.added.map((block) => block.logs.map(({ transactionHash }) => transactionHash));
    expect(hashes.at(-1)).toEqual(['0x00', '0x01', '0x02']);
  });

  test.each<
    [string, { to: string | null; emitter?: string; receipt?: 'none' | 'of another fork' }, number | string]
  >([
    ['has logs of the Operator', { to: OPERATOR, emitter: OPERATOR }, 1],
    ['has logs of another contract', { to: OPERATOR, emitter: OTHER }, 0],
    ['has no receipt yet', { to: OPERATOR, receipt: 'none' }, 'no receipt in block'],
    ['was reverted', { to: OPERATOR }, 0],
    ['was reverted on another fork', { to: OPERATOR, receipt: 'of another fork' }, 'of another block'],
    ['is to another contract', { to: OTHER, emitter: OPERATOR }, 0],
    ['deploys', { to: null }, 0],
  ])(
    'asks for receipts while it looks for unknown effects, where there are no logs: a transaction that %s',
    async (_which, { to, emitter, receipt }, found) => {
      const node = createNode();
      const { call } = node.rpc;
      // One transaction in each block, with the hash of the block.
      node.rpc.call = async <T>(method: string, params: readonly unknown[]): Promise<T> =>
        method === 'eth_getBlockByHash' && params[1] === true
          ? ({ transactions: [{ hash: params[0], to: to && `0x${to.slice(2).toUpperCase()}` }] } as T)
          : call<T>(method, params);
      node.instead = {
        eth_getLogs: () => [],
        eth_getTransactionReceipt: ([hash]) => {
          if (receipt === 'none') return null;
          const blockHash = receipt ? OTHER : hash;
          return { blockHash, logs: emitter ? [{ address: emitter, blockHash }] : [] };
        },
      };
      const look = async (looksForUnknown: boolean) => {
        const parts = { ...partsFor(node), looksForUnknown: () => looksForUnknown };
        const step = await (await openFollower(parts, null)).look();
        return step!.added.map(({ logs }) => logs.length);
      };
      expect(new Set(await look(false))).toEqual(new Set([0]));
      if (typeof found === 'string') await expect(look(true)).rejects.toThrow(found);
      else expect(new Set(await look(true))).toEqual(new Set([found]));
    },
  );

  test('asks for receipts of the blocks of an hour alone, a few at a time: older ones are in every index', async () => {
    const node = createNode();
    node.height = 200;
    node.timestampOf = (number) => 60 * number;
    const { call } = node.rpc;
    const asked: unknown[] = [];
    let [underWay, most] = [0, 0];
    node.rpc.call = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      if (method !== 'eth_getBlockByHash' || params[1] !== true) return call<T>(method, params);
      asked.push(params[0]);
      most = Math.max(most, (underWay += 1));
      await setImmediate();
      underWay -= 1;
      return { transactions: [] } as T;
    };
    node.instead = { eth_getLogs: () => [] };
    const parts = { ...partsFor(node), looksForUnknown: () => true };
    const step = await (await openFollower(parts, cursorAt(8, 10))).look();
    expect(step!.added).toHaveLength(192);
    expect([asked.length, most]).toEqual([60, 16]);
  });

  test('links blocks with a parent of zeros by number, where the profile says so', async () => {
    const node = createNode();
    const original = node.rpc.call;
    const zeroParents = await open(node, { mayHaveZeroParents: true });
    await takeStep(zeroParents);
    node.height = 12;
    node.rpc.call = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      const answer = await original<{ parentHash?: string } | null>(method, params);
      return (method === 'eth_getLogs' ? answer : { ...answer, parentHash: `0x${'0'.repeat(64)}` }) as T;
    };
    expect(await takeStep(zeroParents)).toEqual({ removed: [], added: [11, 12], final: 10 });
  });
});

describe('a follower that is opened where another one was', () => {
  test('makes no step until the chain shows the stored head, or nothing else for the time', async () => {
    const node = createNode();
    node.height = 9;
    const slow = await open(node, { forkChoiceMs: 3_600_000 }, cursorAt(8, 10));
    const quick = await open(node, {}, cursorAt(8, 10));
    expect(await takeStep(slow)).toBeNull();
    expect(await takeStep(quick)).toEqual({ removed: [], added: [9], final: 8 });
    node.height = 7;
    expect(await takeStep(slow)).toBeNull();
    node.height = 10;
    node.forks = [{ name: 'b', from: 10 }];
    expect(await takeStep(slow)).toBeNull();
    node.forks = [];
    expect(await takeStep(slow)).toEqual({ removed: [], added: [9, 10], final: 8 });
  });

  test('believes a higher head of another fork', async () => {
    const node = createNode();
    const follower = await open(node, { forkChoiceMs: 3_600_000 }, cursorAt(8, 10));
    node.forks = [{ name: 'b', from: 9 }];
    node.height = 11;
    expect(await takeStep(follower)).toEqual({ removed: [], added: [9, 10, 11], final: 9 });
  });

  test('reads up to the stored head in one step, however far that is', async () => {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    node.height = 4_000;
    const follower = await open(node, { finality: 3_000 }, cursorAt(8, 2_500));
    expect((await takeStep(follower))?.added.at(-1)).toBe(2_500);
    expect((await takeStep(follower))?.added.at(-1)).toBe(3_500);
  });

  test('goes on at the block that is final now after an idle time, and never at an older one', async () => {
    const node = createNode();
    node.height = 100;
    const anew = await openFollowerAnew(partsFor(node), cursorAt(8, 10));
    expect(anew.canonical.final.number).toBe(98n);
    node.height = 9;
    const behind = await openFollowerAnew(partsFor(node), cursorAt(8, 10));
    expect(behind.canonical.final.number).toBe(8n);
  });

  test('notices after an idle time that its final block is gone, though one backend still shows it', async () => {
    const node = createNode();
    node.height = 100;
    node.before = async () => {
      // The first answer is that of a backend on the old fork.
      node.forks = node.calls.length === 1 ? [] : [{ name: 'b', from: 5 }];
    };
    await expect(openFollowerAnew(partsFor(node), cursorAt(8, 10))).rejects.toThrow(DeepReorg);
  });

  test('says once that nothing stands above the final block', async () => {
    const node = createNode();
    const follower = await open(node, { finality: 1 }, cursorAt(10, 10));
    expect(await takeStep(follower)).toEqual({ removed: [], added: [], final: 10 });
    expect(await takeStep(follower)).toBeNull();
  });
});

describe('a follower whose endpoint takes 30 calls for each look', () => {
  const CALLS = 30;

  /** Looks until a block is canonical. Returns the number of looks. */
  async function lookUntil(
    node: ReturnType<typeof createNode>,
    follower: Follower,
    head: number,
  ): Promise<number> {
    let left = 0;
    node.before = async () => {
      left -= 1;
      if (left < 0) throw new RpcRefused('limited', 'too many requests', undefined, undefined);
    };
    for (let looks = 1; looks <= 100; looks += 1) {
      left = CALLS;
      await takeStep(follower).catch((error: unknown) => {
        if (!(error instanceof RpcRefused)) throw error;
      });
      if (Number(follower.canonical.head.number) === head) return looks;
    }
    throw new Error(`the head is ${follower.canonical.head.number}`);
  }

  test('reads 200 blocks in some looks, and many at once again when it takes all', async () => {
    const node = createNode();
    const follower = await open(node);
    await takeStep(follower);
    node.height = 210;
    expect(await lookUntil(node, follower, 210)).toBeLessThan(60);
    node.before = async () => undefined;
    node.height = 2_210;
    let looks = 0;
    while (await takeStep(follower)) looks += 1;
    expect(Number(follower.canonical.head.number)).toBe(2_210);
    expect(looks).toBeLessThan(12);
  });

  test('reads up to the stored head in one step, though many looks fail before', async () => {
    const node = createNode();
    node.height = 210;
    const follower = await open(node, {}, cursorAt(8, 210));
    expect(await lookUntil(node, follower, 210)).toBeGreaterThan(10);
    expect(follower.canonical.final.number).toBe(208n);
  });

  test('catches up in a few looks though a fifth of all calls fails, whichever they are', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const node = createNode();
      const random = createTestRandom(`failing calls ${seed}`);
      const call: FollowerParts['rpc']['call'] = async (method, params) => {
        if (node.height === 500 && random.chance(0.2)) throw new RpcUnreachable('no answer');
        return node.rpc.call(method, params);
      };
      const follower = await openFollower({ ...partsFor(node), rpc: { ...node.rpc, call } }, null);
      await takeStep(follower);
      node.height = 500;
      let looks = 0;
      for (; follower.canonical.head.number < 500n && looks < 1_000; looks += 1) {
        await takeStep(follower).catch(() => undefined);
      }
      expect(looks).toBeLessThan(120);
    }
  });

  test.each([
    ['the first step', true],
    ['a later step', false],
  ])('gets on no more in %s when it is given new headers and no logs', async (_name, isFirst) => {
    const node = createNode();
    let reads = 0;
    const onRead = (): void => {
      reads += 1;
    };
    const follower = await openFollower({ ...partsFor(node), onRead }, null);
    if (!isFirst) await takeStep(follower);
    node.height += 3;
    node.instead['eth_getLogs'] = () => {
      throw new RpcRefused('other', 'not in this plan', undefined, undefined);
    };
    const readsOf: number[] = [];
    for (let look = 0; look < 10; look += 1) {
      node.height += 1;
      reads = 0;
      await expect(follower.look()).rejects.toThrow('not in this plan');
      readsOf.push(reads);
    }
    expect(readsOf.slice(0, 1)).not.toEqual([0]);
    expect(readsOf.slice(5)).toEqual([0, 0, 0, 0, 0]);
  });

  test('reads 1,000 blocks in the first step, however many fewer it asks for at a time', async () => {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    node.height = 2_000;
    const follower = await open(node, {}, cursorAt(8, 8));
    expect(await lookUntil(node, follower, 1_008)).toBeGreaterThan(10);
  });
});

describe('a follower whose endpoints keep the logs of new blocks only', () => {
  /** A chain of 210 blocks, of which the logs are refused up to one of them. */
  function createPrunedNode(upTo: number, kind: RefusalKind = 'unavailable') {
    const node = createNode();
    node.height = 210;
    node.instead['eth_getLogs'] = ([filter]) => {
      const { blockHash } = filter as { blockHash: string };
      if (BigInt(blockHash.slice(0, 34)) > upTo) return [];
      throw new RpcRefused(kind, 'pruned history unavailable', 4_444, undefined);
    };
    return node;
  }

  test('reads on: of blocks that are final by then, nothing more can be known', async () => {
    const follower = await open(createPrunedNode(150), {}, cursorAt(8, 10));
    const step = await follower.look();
    expect(step).toMatchObject({ final: { number: 208n }, head: { number: 210n } });
    const pruned = step!.added.filter(({ isPruned }) => isPruned).map(({ number }) => Number(number));
    expect([pruned.length, pruned.at(0), pruned.at(-1)]).toEqual([142, 9, 150]);
  });

  test.each([
    ['a block that is not final', 112, 100, 'unavailable'],
    ['a block whose logs every node has', 179, 1, 'unavailable'],
    ['a refusal that says nothing of the block', 150, 3, 'limited'],
  ] as const)('does not take a step over %s', async (_name, upTo, finality, kind) => {
    const follower = await open(createPrunedNode(upTo, kind), { finality }, cursorAt(8, 10));
    await expect(follower.look()).rejects.toThrow(RpcRefused);
    const before = await open(createPrunedNode(upTo - 1), { finality }, cursorAt(8, 10));
    expect(await before.look()).not.toBeNull();
  });

  test('reads on where a tag says what is final, however far behind that is', async () => {
    const node = createPrunedNode(3_900);
    node.height = 4_000;
    const original = node.rpc.call;
    node.rpc.call = <T>(method: string, [block, ...others]: readonly unknown[]): Promise<T> =>
      original(method, [block === 'finalized' ? '0xf96' : block, ...others]);
    const follower = await open(node, { finality: 'finalized' }, cursorAt(8, 10));
    expect(await takeAllSteps(follower)).toEqual([
      [1_008, 1_008],
      [2_008, 2_008],
      [3_008, 3_008],
      [4_000, 3_990],
    ]);
  });

  test('reads on where a count says what is final, however far behind that is', async () => {
    const node = createPrunedNode(3_900);
    node.height = 4_000;
    const follower = await open(node, {}, cursorAt(8, 10));
    expect(await takeAllSteps(follower)).toEqual([
      [1_008, 1_008],
      [2_008, 2_008],
      [3_008, 3_008],
      [4_000, 3_998],
    ]);
  });
});

describe('the final block of a read that ends below the head', () => {
  test.each([
    ['by all blocks that the chain has beyond it', 1_500, 1_008],
    ['by the few that the chain has beyond it', 1_010, 1_001],
  ])('is counted %s', async (_name, height, final) => {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    node.height = height;
    const follower = await open(node, { finality: 10 }, cursorAt(8, 10));
    expect(await takeStep(follower)).toMatchObject({ final });
  });

  test('is counted without what is beyond it when who shows that is on another fork', async () => {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    node.height = 1_500;
    const follower = await open(node, { finality: 10 }, cursorAt(8, 10));
    const original = node.rpc.call;
    let reads = 0;
    node.rpc.call = async <T>(method: string, params: readonly unknown[]): Promise<T> => {
      if (params[0] === '0x3f0') reads += 1;
      // What is read by then is linked to the canonical blocks.
      node.forks = reads > 1 ? [{ name: 'b', from: 1_000 }] : [];
      return original(method, params);
    };
    expect(await takeStep(follower)).toMatchObject({ final: 999 });
  });
});
