import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;

/** Whether a condition becomes true within this time. It is checked once at least. */
export async function becomesTrue(isTrue: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  for (const end = performance.now() + timeoutMs; ; await sleep(POLL_MS)) {
    if (await isTrue()) return true;
    if (performance.now() >= end) return false;
  }
}
