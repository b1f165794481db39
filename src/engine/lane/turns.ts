import type { Hex } from '../../lib/hex.ts';

/** Whose turn it is: what a lane keeps from one look at the queue to the next. It is lost with the lane, at no cost. */
export interface Turns {
  /** See send/fair-order.ts. */
  spent: ReadonlyMap<string, number>;
  /** The account whose turn was the last one; null before the first. */
  lastAccount: string | null;
  /** The same for the contracts of accounts that have several. */
  lastContracts: Map<string, Hex>;
  /** The first intent that found no room in a block, and the number of the block when that was. */
  heldBack: { number: bigint; block: bigint } | null;
}

export const createTurns = (): Turns => ({
  spent: new Map(),
  lastAccount: null,
  lastContracts: new Map(),
  heldBack: null,
});
