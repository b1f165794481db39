/** The Operators of a service, by address, lower case. */
export interface Operators {
  /** That of new contracts: of the newest edition. */
  operator: `0x${string}`;
  /** Those of earlier editions, through which older contracts are called. */
  formerOperators: readonly `0x${string}`[];
}

/** All of them, the one of new contracts first. */
export const operatorsOf = ({ operator, formerOperators }: Operators): readonly `0x${string}`[] => [
  operator,
  ...formerOperators,
];
