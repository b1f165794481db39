/** What a transaction bids, wei per gas. A legacy one bids its gas price as both. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}
