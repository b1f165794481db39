import { readL1Prices } from '../../chain/l1-costs.ts';
import type { L1Prices } from '../../chain/l1-costs.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';

/** What the data of a transaction costs on L1, besides its own gas. All zero on a chain that has no L1. */
export interface L1Costs {
  /** Reads the prices, unless that was done a moment ago. */
  refresh(): Promise<void>;
  /** Wei that a transaction of this many bytes may cost besides its gas. */
  fee(bytes: number): bigint;
  /** Gas that a transaction of this many bytes needs besides that of its execution. */
  gas(bytes: number): number;
}

/** The prices may rise so much until the transaction is mined. */
const MARGIN = 2;
/** Bytes of a transaction besides its calldata, signature and all. */
const ENVELOPE_BYTES = 200;

export function createL1Costs(
  rpc: Pick<Rpc, 'call'>,
  source: ChainProfile['l1Fee'],
  freshMs: number,
): L1Costs {
  let prices: L1Prices = { weiPerByte: 0n, gasPerByte: 0 };
  let readAt = -Infinity;
  const size = (bytes: number): number => (bytes + ENVELOPE_BYTES) * MARGIN;
  return {
    refresh: async () => {
      if (source === 'none' || performance.now() - readAt <= freshMs) return;
      prices = await readL1Prices(rpc, source);
      readAt = performance.now();
    },
    fee: (bytes) => BigInt(size(bytes)) * prices.weiPerByte,
    gas: (bytes) => Math.ceil(size(bytes) * prices.gasPerByte),
  };
}
