import type { Alternative } from './alternative.ts';
import { OtherChain } from './errors.ts';
import { MAX_LAG_MS } from './knowledge.ts';
import type { ChainKnowledge } from './knowledge.ts';
import type { Preference } from './preference.ts';

/** How often the endpoints are looked at while calls are made. */
const WATCH_MS = 3_000;
/** How often the only one is, which cannot be behind another one: its chain may have changed. */
const ONLY_WATCH_MS = 6_000;
/**
 * So long after the last call they are looked at yet: while a reader waits for the next block, what is behind is to be
 * known.
 */
const CALL_PAUSE_MS = 15_000;

/** Looks at all endpoints now and then, beside the calls: one may answer, and stand still or be of another chain. */
export interface Watch {
  /** A call is made. Long after the last one, and before the chain is identified, nothing is looked at. */
  noteCall(): void;
}

export function createWatch(
  endpoints: readonly Alternative[],
  knowledge: ChainKnowledge,
  preference: Preference,
): Watch {
  const isOnly = endpoints.length === 1;
  const watchMs = isOnly ? ONLY_WATCH_MS : WATCH_MS;
  // Of the monotonic clock, in milliseconds.
  let lookedAt = performance.now();
  let calledAt = -Infinity;
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    // There is none that the only one could be behind.
    const lookAt = (endpoint: Alternative): Promise<bigint> =>
      isOnly ? endpoint.checkChain().then(() => 0n) : endpoint.look();
    const looks = await Promise.allSettled(endpoints.map(lookAt));
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

  const begin = (): void => {
    clearTimeout(timer);
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
        lookedAt = performance.now();
        if (lookedAt - calledAt < CALL_PAUSE_MS) timer = setTimeout(begin, watchMs).unref();
      });
  };

  return {
    noteCall: () => {
      calledAt = performance.now();
      if (isLooking || knowledge.chainId === null || calledAt - lookedAt < watchMs) return;
      begin();
    },
  };
}
