import { expect, test } from '@jest/globals';
import { planCall } from '../../src/engine/send/batch.ts';
import { createGasMemory } from '../../src/engine/lane/gas-memory.ts';
import type { QueuedIntent } from '../../src/engine/store/queue.ts';

const [A, B] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(20)}`] as const;
const MAX_GAS = 16_000_000;

const mint = (contract: QueuedIntent['contract'], more: Partial<QueuedIntent> = {}): QueuedIntent => ({
  ...{ number: 1n, id: '', accountId: '', contract, target: contract, data: '0x11111111' },
  ...{
    operator: A,
    epoch: 1n,
    gasEstimate: 50_000,
    gasMax: 1_000_000,
    retryStage: 0,
    isStale: false,
    mayBeOvertaken: false,
  },
  ...more,
});

test('the cap of a call is what such calls of its contract have used at the most, and a margin', () => {
  const memory = createGasMemory();
  const capOf = (intent: QueuedIntent) => planCall(intent, memory, MAX_GAS).gasCap;
  expect(capOf(mint(A))).toBe(72_500);
  memory.learn(mint(A), 20_000);
  expect(capOf(mint(A))).toBe(35_000);
  // Neither another contract nor another function knows anything yet.
  expect(capOf(mint(B))).toBe(72_500);
  expect(capOf(mint(A, { data: '0x22222222' }))).toBe(72_500);
  // One that was dearer counts for long.
  memory.learn(mint(A), 60_000);
  for (let call = 0; call < 10; call += 1) memory.learn(mint(A), 20_000);
  expect(capOf(mint(A))).toBeGreaterThan(80_000);
  for (let call = 0; call < 2_000; call += 1) memory.learn(mint(A), 20_000);
  expect(capOf(mint(A))).toBeLessThan(36_000);
  // A larger call of the kind gets more.
  expect(capOf(mint(A, { gasEstimate: 500_000 }))).toBeGreaterThan(250_000);
  memory.forget(mint(A));
  expect(capOf(mint(A))).toBe(72_500);
});

test('a call that used up its cap gets all that its kind may use', () => {
  const memory = createGasMemory();
  memory.learn(mint(A), 20_000);
  expect(planCall(mint(A, { retryStage: 1 }), memory, MAX_GAS).gasCap).toBe(1_000_000);
});

test('experience takes a bounded room: that of contracts without calls for long is forgotten', () => {
  const memory = createGasMemory(2);
  const [first, second, third] = [mint(A), mint(B), mint(`0x${'0c'.repeat(20)}`)];
  memory.learn(first, 20_000);
  memory.learn(second, 20_000);
  memory.learn(first, 20_000);
  memory.learn(third, 20_000);
  expect([first, second, third].map(memory.findMost)).toEqual([20_000, undefined, 20_000]);
});
