/** Where the number of an intent is marked once it is done: an Operator contract, and an epoch of it. */
export interface OperatorEpoch {
  /** Address, lower case. */
  operator: `0x${string}`;
  epoch: bigint;
}

/** An intent as its Operator knows it: one bit. */
export interface OperatorNumber extends OperatorEpoch {
  number: bigint;
}

/** Divides a list into those of one Operator and epoch each. */
export const groupByEpoch = <Item extends OperatorEpoch>(items: readonly Item[]): Item[][] => [
  ...Map.groupBy(items, ({ operator, epoch }) => `${operator} ${epoch}`).values(),
];
