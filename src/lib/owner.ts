/** Where a request acts: on the chain, or in the database alone. */
export type Environment = 'live' | 'sandbox';

/** Whose things a caller sees: the two environments of an account never mix. */
export interface Owner {
  accountId: string;
  environment: Environment;
}

/** The owner that a credential stands for, and nothing else of it. */
export function ownerOf({ accountId, environment }: Owner): Owner {
  return { accountId, environment };
}
