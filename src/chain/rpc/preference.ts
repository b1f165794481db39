import type { Alternative } from './alternative.ts';

/** Which endpoint takes the calls: the first of `RPC_URL`, or while that is not fit, a later one. */
export interface Preference {
  /** From 0. */
  readonly index: number;
  /** The endpoint `from` failed, and `to` answered. Nothing happens when others have moved meanwhile. */
  move(from: number, to: number): void;
  /**
   * Goes back to an earlier endpoint that is fit again, and shows all blocks that the one in use shows. Not sooner than
   * `RETURN_MS` after it was left; later and later to one that fails again soon after it was gone back to.
   * @param heights newest blocks of the endpoints; null of one that is not fit
   */
  goBack(heights: readonly (bigint | null)[]): void;
}

const RETURN_MS = 10_000;
const MAX_RETURN_MS = 300_000;
/** An endpoint has failed soon when it was used for less than so many times the last wait. */
const SOON = 10;

export function createPreference(endpoints: readonly Pick<Alternative, 'trust'>[]): Preference {
  let index = 0;
  let waitMs = RETURN_MS;
  // Of the monotonic clock, in milliseconds.
  let returnAt = 0;
  let returnedAt = -Infinity;

  return {
    get index() {
      return index;
    },
    move: (from, to) => {
      if (index !== from || from === to) return;
      const now = performance.now();
      waitMs = now - returnedAt < SOON * waitMs ? Math.min(2 * waitMs, MAX_RETURN_MS) : RETURN_MS;
      returnAt = now + waitMs;
      index = to;
    },
    goBack: (heights) => {
      const shown = heights[index] ?? null;
      const now = performance.now();
      if (index === 0 || shown === null || now < returnAt) return;
      const earlier = heights.slice(0, index).findIndex((height) => height !== null && height >= shown);
      if (earlier < 0) return;
      endpoints[earlier]!.trust();
      index = earlier;
      returnedAt = now;
    },
  };
}
