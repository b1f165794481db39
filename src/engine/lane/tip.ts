import { readSuggestedFee } from '../../chain/fees.ts';
import type { FeeModel } from '../../chain/fees.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';

/** What the node suggests to bid besides the base fee, wei per gas: a tip, or the price of a legacy transaction. */
export interface TipReader {
  /** What was read last; 0 before. */
  readonly last: bigint;
  /** Reads it, unless that was done a moment ago. */
  read(): Promise<bigint>;
}

export function createTipReader(rpc: Pick<Rpc, 'call'>, feeModel: FeeModel, freshMs: number): TipReader {
  let last = 0n;
  let readAt = -Infinity;
  return {
    get last() {
      return last;
    },
    read: async () => {
      if (performance.now() - readAt > freshMs) {
        last = await readSuggestedFee(rpc, feeModel);
        readAt = performance.now();
      }
      return last;
    },
  };
}
