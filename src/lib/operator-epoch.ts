/** Where the number of an intent is marked once it is done: an Operator contract, and an epoch of it. */
export interface OperatorEpoch {
  /** Address, lower case. */
  operator: `0x${string}`;
  epoch: bigint;
}
