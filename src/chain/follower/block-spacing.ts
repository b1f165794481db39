import type { ChainProfile } from '../profile.ts';
import type { Header } from './block.ts';

/** So many gaps between blocks show a rule. */
const MIN_GAPS = 4;
/**
 * So many show one of a second: of blocks that come closer, two have the same timestamp sooner or later, which ends the
 * rule.
 */
const MIN_GAPS_OF_A_SECOND = 16;
/** So many are remembered, of which each may show that there is none. */
const MAX_GAPS = 256;
/** Seconds: longer gaps may be those of a chain with little to do. */
const MAX_GAP = 15;
/** Part of a gap in which no block comes: the next one may be early by the rest of it, or this one was seen so late. */
const QUIET_PART = 3 / 4;
/** Looks in the time of a gap, when the next block may come. */
const LOOKS = 24;

/** When the next block of a chain with regular blocks is nearly due. */
export interface BlockSpacing {
  /**
   * The newest block of the chain was shown.
   * @param added what is above the blocks that were known, oldest first
   * @param askedAt before it was asked for, in milliseconds of `performance.now`
   */
  note(added: readonly Header[], askedAt: number): void;
  /** Milliseconds until the next look, `minMs` at least, which it is where blocks come as they like. */
  nextLookMs(minMs: number): number;
}

/**
 * Learns the gaps from the headers' timestamps, whole seconds. They are regular where each is a multiple of the
 * smallest one, as with slots that some proposers miss, and with blocks that were not read while nothing was waited
 * for.
 */
export function createBlockSpacing({ minesOnDemand }: Pick<ChainProfile, 'minesOnDemand'>): BlockSpacing {
  let newest: readonly Header[] = [];
  /** Milliseconds; null without a rule. */
  let gapMs: number | null = null;
  // In milliseconds of `performance.now`.
  let askedBefore = -Infinity;
  let dueAt = -Infinity;

  const learn = (): number | null => {
    const gaps = newest.slice(1).map(({ timestamp }, index) => timestamp - newest[index]!.timestamp);
    const gap = Math.min(...gaps);
    if (minesOnDemand || gap < 1 || gap > MAX_GAP) return null;
    const isShown = gaps.length >= (gap === 1 ? MIN_GAPS_OF_A_SECOND : MIN_GAPS);
    return isShown && gaps.every((each) => each % gap === 0) ? gap * 1_000 : null;
  };

  return {
    note: (added, askedAt) => {
      const [first] = added;
      // A look that failed later, or of a reader that begins anew, has noted the newest one when it was seen first.
      if (first && added.at(-1)!.hash !== newest.at(-1)?.hash) {
        const kept = newest.filter(({ number }) => number < first.number);
        newest = [...kept, ...added].slice(-MAX_GAPS - 1);
        gapMs = learn();
        const isTimely = gapMs !== null && askedAt - askedBefore <= (1 - QUIET_PART) * gapMs;
        dueAt = isTimely ? askedAt + QUIET_PART * gapMs! : -Infinity;
      }
      askedBefore = askedAt;
    },
    nextLookMs: (minMs) =>
      gapMs === null ? minMs : Math.max(minMs, gapMs / LOOKS, dueAt - performance.now()),
  };
}
