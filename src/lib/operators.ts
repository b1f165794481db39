/** The Operators of a service, by address, lower case. */
export interface Operators {
  /** That of new contracts. */
  operator: `0x${string}`;
  /** Those before it, through which older contracts are called. They have the same code. */
  formerOperators: readonly `0x${string}`[];
}

/** All of them, the one of new contracts first. */
export const operatorsOf = ({ operator, formerOperators }: Operators): readonly `0x${string}`[] => [
  operator,
  ...formerOperators,
];
