import type { AppError } from '../errors.ts';
import type { Tx } from '../db/client.ts';
import type { Intent, NewIntent, VerdictChange } from './intent.ts';

/** What follows from a request for the meters. */
export interface Claiming extends Pick<NewIntent, 'accountId' | 'kind' | 'arguments' | 'cost'> {
  /** Gas that it would use alone in a transaction, by its estimate; null when it calls nothing. */
  gas: number | null;
  /** What it is refused with although it could pay; nothing is taken then. */
  refusal: AppError | null;
}

/**
 * What an accepted request keeps of meters; the engine does not know what it means, only that it ends with its intent.
 */
export type Holds = Pick<Intent, 'held' | 'heldGas'>;

/**
 * Takes what each request costs from the balances, in the transaction of acceptance; a refused request is an error, and
 * takes nothing.
 */
export type HoldAll = (tx: Tx, requests: readonly Claiming[]) => Promise<(Holds | AppError)[]>;

/**
 * Finds the requests that are for records which are gone since they were found, each with what it is refused with. In
 * the transaction of acceptance, until whose end nobody else writes for these accounts.
 */
export type FindGone = (tx: Tx, requests: readonly NewIntent[]) => Promise<ReadonlyMap<NewIntent, AppError>>;

/** An intent that was written in this transaction. */
export interface NewlyAccepted {
  intent: Intent;
  /** It has its verdict already, and its account has webhooks. */
  notifyAccount: boolean;
}

/** What a feature writes when intents are accepted, and when they get a verdict, in the same database transaction. */
export interface FollowUps {
  accepted(tx: Tx, intents: readonly NewlyAccepted[]): Promise<void>;
  settled(tx: Tx, verdicts: readonly VerdictChange[]): Promise<void>;
}

/** The follow-ups of several features as one, in their order: a later one may read what an earlier one wrote. */
export function combineFollowUps(followUps: readonly Partial<FollowUps>[]): FollowUps {
  return {
    accepted: async (tx, intents) => {
      for (const followUp of followUps) await followUp.accepted?.(tx, intents);
    },
    settled: async (tx, verdicts) => {
      for (const followUp of followUps) await followUp.settled?.(tx, verdicts);
    },
  };
}
