import type { Alternative } from './alternative.ts';

/** Which endpoint takes the calls: the first of `RPC_URL`, or while that is not fit, a later one. */
export interface Preference {
  /** From 0. */
  readonly index: number;
  /** The endpoint `from` failed, and `to` answered. Nothing happens when others have moved meanwhile. */
  move(from: number, to: number): void;
  /**
   * Goes back to an earlier endpoint that is fit again. It looks beside the calls, and not more often than every
   * `LOOK_BACK_MS`; less and less often at an endpoint that fails again soon after it was gone back to.
   */
  lookBack(): void;
}

const LOOK_BACK_MS = 10_000;
const MAX_LOOK_BACK_MS = 300_000;
/** An endpoint has failed soon when it was used for less than so many times the last wait. */
const SOON = 10;

export function createPreference(endpoints: readonly Alternative[]): Preference {
  let index = 0;
  let waitMs = LOOK_BACK_MS;
  /** Of the monotonic clock, in milliseconds. */
  let lookAt = 0;
  let returnedAt = -Infinity;
  let isLooking = false;

  const look = async (): Promise<void> => {
    const current = index;
    const shown = await endpoints[current]!.blockNumber();
    for (const [earlier, endpoint] of endpoints.slice(0, current).entries()) {
      if (!(await endpoint.isLevelWith(shown).catch(() => false)) || index !== current) continue;
      index = earlier;
      returnedAt = performance.now();
      return;
    }
  };

  return {
    get index() {
      return index;
    },
    move: (from, to) => {
      if (index !== from || from === to) return;
      const now = performance.now();
      waitMs = now - returnedAt < SOON * waitMs ? Math.min(2 * waitMs, MAX_LOOK_BACK_MS) : LOOK_BACK_MS;
      lookAt = now + waitMs;
      index = to;
    },
    lookBack: () => {
      if (index === 0 || isLooking || performance.now() < lookAt) return;
      isLooking = true;
      void look()
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
          lookAt = performance.now() + waitMs;
        });
    },
  };
}
