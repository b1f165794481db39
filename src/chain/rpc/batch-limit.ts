/** How many calls an endpoint takes in one batch. */
export interface BatchLimit {
  readonly size: number;
  /** A batch of so many calls was refused. */
  refused(size: number): void;
  /** A batch was answered. */
  answered(size: number): void;
  /** A batch was lost: whether because of its size is unknown. */
  lost(): void;
  /** It takes no more than this at the most, which is more or less than was thought. */
  setMax(calls: number): void;
}

/** For this time after a refusal no larger batch is tried. */
const GROW_AFTER_MS = 30_000;

/**
 * Halves with each refusal. Later it doubles with each batch that fills it, up to the maximum, until the next refusal.
 */
export function createBatchLimit(firstMax: number): BatchLimit {
  let max = firstMax;
  let size = max;
  let shrunkAt = -Infinity;
  const shrinkTo = (smaller: number): void => {
    size = Math.min(size, smaller);
    shrunkAt = performance.now();
  };
  return {
    get size() {
      return size;
    },
    refused: (refused) => shrinkTo(Math.max(1, Math.floor(refused / 2))),
    answered: (answered) => {
      if (answered < size || performance.now() - shrunkAt < GROW_AFTER_MS) return;
      size = Math.min(max, size * 2);
    },
    lost: () => shrinkTo(1),
    setMax: (calls) => {
      // What was refused meanwhile stays so.
      size = size === max ? calls : Math.min(size, calls);
      max = calls;
    },
  };
}
