import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition returns a truthy value, five minutes at most. */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + 300_000; Date.now() < end; await sleep(20)) {
    const value = await condition();
    if (value) return value;
  }
  throw new Error('The condition did not become true within five minutes.');
}
