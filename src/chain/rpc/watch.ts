import type { Alternative } from './alternative.ts';
import { OtherChain } from './errors.ts';
import { MAX_LAG_MS } from './knowledge.ts';
import type { ChainKnowledge } from './knowledge.ts';
import type { Preference } from './preference.ts';

/** How often the endpoints are looked at while calls are made. */
const WATCH_MS = 3_000;

/** Looks at all endpoints now and then, beside the calls: one may answer, and stand still or be of another chain. */
export interface Watch {
  /** A call is made. Without calls, and before the chain is identified, nothing is looked at. */
  noteCall(): void;
}

export function createWatch(
  endpoints: readonly Alternative[],
  knowledge: ChainKnowledge,
  preference: Preference,
): Watch {
  // Of the monotonic clock, in milliseconds.
  let lookedAt = performance.now();
  let isLooking = false;

  const look = async (): Promise<void> => {
    const looks = await Promise.allSettled(endpoints.map((endpoint) => endpoint.look()));
    const shown = looks.map((end) => (end.status === 'fulfilled' ? end.value : null));
    const highest = shown.reduce<bigint>(
      (most, height) => (height !== null && height > most ? height : most),
      0n,
    );
    const isBehind = (height: bigint): boolean => height < highest && knowledge.lagMs(height) >= MAX_LAG_MS;
    const fit = shown.map((height) => (height === null || isBehind(height) ? null : height));
    for (const [index, end] of looks.entries()) {
      // One that does not answer shows that by its calls.
      const isOther = end.status === 'rejected' && end.reason instanceof OtherChain;
      if (isOther || (shown[index] !== null && fit[index] === null)) leave(index, fit);
    }
    preference.goBack(fit);
  };
  const leave = (left: number, fit: readonly (bigint | null)[]): void => {
    endpoints[left]!.distrust();
    if (left !== preference.index) return;
    const next = fit.findIndex((height) => height !== null);
    if (next >= 0) preference.move(left, next);
  };

  return {
    noteCall: () => {
      if (isLooking || knowledge.chainId === null || performance.now() - lookedAt < WATCH_MS) return;
      isLooking = true;
      void look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
          lookedAt = performance.now();
        });
    },
  };
}
