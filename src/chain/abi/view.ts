import type { Hex } from '../../lib/hex.ts';

/** A view of a contract: what to ask, and how to read the answer. */
export interface View<Answer> {
  /** Calldata. */
  data: Hex;
  /** @throws Error for what is no answer to it */
  decode(answer: Hex): Answer;
}
