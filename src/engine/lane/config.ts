import type { Reach } from '../../lib/crash-points.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Observe } from '../../telemetry/observe.ts';
import type { LaneTimings } from './timings.ts';

export interface LaneConfig {
  chainId: bigint;
  operator: Hex;
  /** Callees without which a deployment is impossible. */
  factories: readonly Hex[];
  /** Blocks, the one with the receipt included, after which a verdict is final. */
  confirmations: number;
  /** Most transactions of a signer without a receipt at a time; geth keeps 16 an account for sure. */
  maxInFlight: number;
  /** Most calls in one transaction, whatever their size. */
  maxBatch: number;
  /** Bytes of calldata of a transaction; pools refuse larger ones. */
  maxCalldataBytes: number;
  /** Gas that the chain lets a transaction have, however much is in a block. */
  maxTransactionGas: number;
  /** Called at the named moments of crash-points.ts. */
  reach: Reach;
  observe: Observe;
  timings: LaneTimings;
}
