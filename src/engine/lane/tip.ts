import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';

/** The tip that the node suggests, wei per gas. */
export interface TipReader {
  /** What was read last; 0 before. */
  readonly last: bigint;
  /** Reads it, unless that was done a moment ago. */
  read(): Promise<bigint>;
}

export function createTipReader(rpc: Pick<Rpc, 'call'>, freshMs: number): TipReader {
  let last = 0n;
  let readAt = 0;
  return {
    get last() {
      return last;
    },
    read: async () => {
      if (Date.now() - readAt > freshMs) {
        last = BigInt(await rpc.call<Hex>('eth_maxPriorityFeePerGas', []));
        readAt = Date.now();
      }
      return last;
    },
  };
}
