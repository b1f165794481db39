import type { Cursor } from '../store/follower.ts';

/** The chain as its one reader holds it, in whatever process that is. */
export interface CanonicalChain {
  /**
   * Returns the final block and the head that a look at the chain found which began after this call; null when nobody
   * looked in time, or blocks beyond that head are to be read yet. What decides something is asked at the head by its hash.
   */
  fresh(): Promise<Cursor | null>;
  /** Something was broadcast: the reader looks for it now, and until it is final. */
  expectBlock(): void;
}
