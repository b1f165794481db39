/*
 * How a call goes again that came to nothing for reasons which may be those of others, or of the gas that it was given.
 * All of it is in one number of the intent, `retryStage`:
 *
 * | retryStage | its next transaction                                                          |
 * | ---------- | ----------------------------------------------------------------------------- |
 * | 0          | has other calls as well; it may use the gas that experience tells             |
 * | 1          | is its own, and it may use the most gas that its kind may (`gas_max`)         |
 * | 2          | the same, for the last time: it was alone in one that was reverted as a whole |
 */

/** How it begins, and goes on when nothing was found out about it. */
export const UNTRIED = 0;
const ALONE = 1;
const ALONE_AGAIN = 2;

/** What it reverted with less gas than it may use, in a simulation or on the chain, says nothing: it shall have all. */
export const afterTooLittleGas = ALONE;

/**
 * A transaction was reverted as a whole; whose fault that was of several calls, nobody can tell. Null: the call has
 * failed.
 */
export function afterWholeRevert(retryStage: number, isAlone: boolean): number | null {
  if (!isAlone) return ALONE;
  return retryStage < ALONE_AGAIN ? ALONE_AGAIN : null;
}

/** Whether it travels alone, with the most gas that it may use. */
export const goesAlone = (retryStage: number): boolean => retryStage >= ALONE;

/**
 * The most that is left of `retryStage` when the transaction in which it was alone, and reverted as a whole, is gone
 * with its block.
 */
export const WITHOUT_LONE_REVERT = ALONE;
