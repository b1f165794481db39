import type { BlockId } from '../../lib/block-id.ts';

/** Which of two heads is believed. */
export interface ForkChoice {
  /** Whether a head that is not the held one shall replace it. */
  isBetter(head: BlockId, held: BlockId): boolean;
  /** The held head was shown again. */
  reset(): void;
}

/**
 * The held fork stands until a head is higher. One that is not counts when nothing else was shown for `patienceMs`
 * milliseconds: a backend that lags, or stays on a fork, is followed by one that does not, and a chain that lost blocks
 * shows nothing else.
 */
export function createForkChoice(patienceMs: number): ForkChoice {
  let since: number | null = null;
  return {
    isBetter: (head, held) => {
      if (head.number > held.number) {
        since = null;
        return true;
      }
      since ??= performance.now();
      if (performance.now() - since < patienceMs) return false;
      since = null;
      return true;
    },
    reset: () => {
      since = null;
    },
  };
}
