import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Alternative } from '../../src/chain/rpc/alternative.ts';
import { createKnowledge } from '../../src/chain/rpc/knowledge.ts';
import { createPreference } from '../../src/chain/rpc/preference.ts';
import { createWatch } from '../../src/chain/rpc/watch.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Endpoints that show block 100, how often they were looked at, and what is known of them. */
function watchOf(count: number) {
  const knowledge = createKnowledge();
  knowledge.chainId = 1n;
  const looks: number[] = [];
  const checks: number[] = [];
  const createEndpoint = (index: number): Alternative => ({
    look: async () => {
      looks.push(index);
      knowledge.shown(100n);
      return 100n;
    },
    ask: () => Promise.reject(new Error('not asked')),
    chainId: async () => 1n,
    assertFit: async () => undefined,
    checkChain: async () => void checks.push(index),
    trust: () => undefined,
    distrust: () => undefined,
    isDown: () => false,
  });
  const endpoints = Array.from({ length: count }, (_, index) => createEndpoint(index));
  return { watch: createWatch(endpoints, knowledge, createPreference(endpoints)), knowledge, looks, checks };
}

test('a lower block is known to be behind while a reader waits for the next one of a slow chain', async () => {
  const { watch, knowledge } = watchOf(2);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  for (let blocks = 0; blocks < 3; blocks += 1) {
    watch.noteCall();
    for (let ms = 0; ms < 12_000; ms += 500) {
      await jest.advanceTimersByTimeAsync(500);
      expect(knowledge.isBehind(99n)).toBe(true);
    }
  }
});

test('endpoints are looked at no more when no calls are made', async () => {
  const { watch, looks } = watchOf(2);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  watch.noteCall();
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect(looks).toEqual(Array.from({ length: 6 }, () => [0, 1]).flat());
});

test('of the only endpoint the chain alone is checked, half as often: it cannot be behind another one', async () => {
  const { watch, looks, checks } = watchOf(1);
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  watch.noteCall();
  await jest.advanceTimersByTimeAsync(MINUTE_MS);
  expect([looks, checks]).toEqual([[], [0, 0, 0, 0]]);
});
