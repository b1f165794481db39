import { expect, test } from '@jest/globals';
import { createWakeup } from '../../src/lib/wakeups.ts';

const LONG_MS = 60_000;

test('a wait ends when the service stops, and so does each one after it', async () => {
  const stopping = new AbortController();
  const wakeup = createWakeup(stopping.signal);
  const began = performance.now();
  setTimeout(() => stopping.abort(), 10);
  await wakeup.wait(LONG_MS);
  await wakeup.wait(LONG_MS);
  expect(performance.now() - began).toBeLessThan(LONG_MS);
});

test('a wake since the last wait ends the next one, and no other', async () => {
  const wakeup = createWakeup(new AbortController().signal);
  wakeup.wake();
  await wakeup.wait(LONG_MS);
  const began = performance.now();
  await wakeup.wait(100);
  expect(performance.now() - began).toBeGreaterThanOrEqual(90);
});
