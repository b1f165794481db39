import type { BlockId } from '../../lib/block-id.ts';

/** Which of two heads is believed. */
interface ForkChoice {
  /** Whether a head that is not the canonical one shall replace it. */
  isBetter(head: BlockId, canonical: BlockId): boolean;
  /** The canonical head was shown again. */
  reset(): void;
}

/**
 * A higher head replaces the canonical one. A head that is not higher does so only when neither the canonical head nor
 * a higher one was shown for `forkChoiceMs` milliseconds. A lagging backend alternates with a healthy one, so it never
 * qualifies; a chain that lost blocks shows nothing else.
 */
export function createForkChoice(forkChoiceMs: number): ForkChoice {
  let since: number | null = null;
  return {
    isBetter: (head, canonical) => {
      if (head.number > canonical.number) {
        since = null;
        return true;
      }
      since ??= performance.now();
      if (performance.now() - since < forkChoiceMs) return false;
      since = null;
      return true;
    },
    reset: () => {
      since = null;
    },
  };
}
