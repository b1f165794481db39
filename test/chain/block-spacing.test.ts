import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createBlockSpacing } from '../../src/chain/follower/block-spacing.ts';
import { openFollower } from '../../src/chain/follower/follower.ts';
import { EMPTY_BLOOM, OPERATOR, createNode } from '../setup/forked-node.ts';

const PROFILE = { finality: 3, forkChoiceMs: 0, honestBlooms: true, mayHaveZeroParents: false };
const MIN_MS = 100;
/** The first blocks, from which the gap is learnt. */
const LEARNT = 27;

describe('the looks at a chain', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  interface Chain {
    /** When a node shows a block, in seconds. */
    timeOf(number: number): number;
    /** What its header says; that time, in whole seconds, by default. */
    timestampOf?(number: number): number;
    minesOnDemand?: boolean;
    /** Seconds between which nothing is waited for. */
    idle?: { from: number; to: number };
  }

  async function open({ timeOf, timestampOf = timeOf, minesOnDemand = false }: Chain) {
    const node = createNode({ logsBloom: EMPTY_BLOOM });
    node.timestampOf = (number) => Math.floor(timestampOf(number));
    const spacing = createBlockSpacing({ minesOnDemand });
    const shared = { rpc: node.rpc, profile: PROFILE, operators: [OPERATOR], spacing };
    const parts = { ...shared, asksAll: () => false, looksForUnknown: () => false, onRead: () => undefined };
    const show = (): void => {
      while (timeOf(node.height + 1) * 1_000 <= now) node.height += 1;
    };
    return { node, spacing, show, openFollower: () => openFollower(parts, null) };
  }

  /**
   * A reader that waits between its looks as long as it is told to. How many calls each block came to, and after how
   * many milliseconds it was seen.
   */
  async function read(chain: Chain) {
    const { timeOf, idle } = chain;
    const { node, spacing, show, openFollower: reopen } = await open(chain);
    let follower = await reopen();
    const seen: { number: number; lateMs: number; calls: number }[] = [];
    now = timeOf(10) * 1_000;
    while (now < timeOf(60) * 1_000) {
      show();
      const step = await follower.look();
      if (step) {
        follower.accept(step);
        const number = Number(step.head.number);
        seen.push({ number, lateMs: now - timeOf(number) * 1_000, calls: node.calls.length });
        node.calls.length = 0;
      }
      now += step ? 0 : spacing.nextLookMs(MIN_MS);
      if (idle && now > idle.from * 1_000 && now < idle.to * 1_000) {
        now = idle.to * 1_000;
        follower = await reopen();
      }
    }
    return seen.filter(({ number }) => number > LEARNT);
  }
  const most = (values: readonly number[]): number => Math.max(...values);
  const mostCalls = (seen: readonly { calls: number }[]): number => most(seen.map(({ calls }) => calls));
  const mostLate = (seen: readonly { lateMs: number }[]): number => most(seen.map(({ lateMs }) => lateMs));

  test.each([
    [12, 500],
    [4, 170],
    [2, 100],
    [1, 100],
  ])('are few where blocks come every %i s, and see each within %i ms', async (seconds, ms) => {
    const seen = await read({ timeOf: (number) => number * seconds });
    expect(seen.length).toBeGreaterThan(30);
    expect(mostCalls(seen)).toBeLessThanOrEqual(10);
    expect(mostLate(seen)).toBeLessThanOrEqual(ms);
  });

  test('see blocks that come a quarter of the time early, and those after slots that were missed', async () => {
    const starts = Array.from({ length: 61 }, (_, number) => 12 * (number + Math.floor(number / 4)));
    const timeOf = (number: number): number => starts[number]! + (number % 3) * 1.4;
    const seen = await read({ timeOf, timestampOf: (number) => starts[number]! });
    expect(mostLate(seen)).toBeLessThanOrEqual(500);
    expect(mostCalls(seen.filter(({ number }) => number % 4 > 0))).toBeLessThanOrEqual(15);
  });

  test.each([
    ['blocks come as they like', { timeOf: (number: number) => number * 10 + (number % 3) }],
    ['blocks come twice a second', { timeOf: (number: number) => number / 2 }],
    ['a block comes for a transaction', { timeOf: (number: number) => number * 10, minesOnDemand: true }],
  ])('are as many as ever where %s', async (_, chain) => {
    const seen = await read(chain);
    expect(mostLate(seen)).toBeLessThanOrEqual(MIN_MS);
    for (const { number, calls } of seen) {
      const gapMs = 1_000 * (chain.timeOf(number) - chain.timeOf(number - 1));
      expect(calls).toBeGreaterThanOrEqual(gapMs / MIN_MS);
    }
  });

  test('go by the shortest gap, though it was long ago', async () => {
    const starts = Array.from(
      { length: 61 },
      (_, number) => 10 * number - 8 * [15, 50].filter((short) => number >= short).length,
    );
    const seen = await read({ timeOf: (number) => starts[number]! });
    expect(mostLate(seen)).toBeLessThanOrEqual(MIN_MS);
  });

  test('see the first block after a pause in time, whenever it is due, and still know the gap', async () => {
    for (const to of [402, 405, 408, 411]) {
      const seen = await read({ timeOf: (number) => number * 12, idle: { from: 362, to } });
      const next = seen.findIndex(({ number }) => number === Math.floor(to / 12) + 1);
      const [first, second] = seen.slice(next);
      expect(first!.lateMs).toBeLessThanOrEqual(500);
      expect(second!.calls).toBeLessThanOrEqual(10);
    }
  });

  test('do not take a block for new that is read twice', async () => {
    const { spacing, show, openFollower: reopen } = await open({ timeOf: (number) => number * 12 });
    const follower = await reopen();
    for (let number = 10; number < 20; number += 1) {
      now = number * 12_000;
      show();
      follower.accept((await follower.look())!);
    }
    now = 20 * 12_000 + 8_000;
    show();
    await follower.look();
    now += 500;
    await follower.look();
    expect(spacing.nextLookMs(MIN_MS)).toBeLessThanOrEqual(500);
  });
});
