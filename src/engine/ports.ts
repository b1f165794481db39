import type { AppError } from '../errors.ts';
import type { Tx } from '../db/client.ts';
import type { Meter } from '../lib/plans.ts';
import type { Intent, Verdict } from './intent.ts';

/**
 * A claim on a meter; the engine does not know what it means, only that it is committed or released with its intent.
 */
export interface Claim {
  accountId: string;
  meter: Meter;
  amount: number;
}

/** A granted claim: it belongs to the period in which it was accepted for ever. */
export interface Hold extends Claim {
  /** First day of the month, UTC, by the database's clock. */
  period: string;
  /** What is left of the month's grant once it is taken. */
  remaining: number;
}

/** Takes each claim from its balance, in the transaction of acceptance; a refused one is an error, and takes nothing. */
export type HoldAll = (tx: Tx, claims: Claim[]) => Promise<(Hold | AppError)[]>;

/** An intent that was written in this transaction. */
export interface NewlyAccepted {
  intent: Intent;
  hold: Hold | null;
  /** It has its verdict already, and its account has webhooks. */
  notifyAccount: boolean;
}

/** What a feature writes when intents are accepted, and when they get a verdict, in the same database transaction. */
export interface Effects {
  accepted(tx: Tx, intents: readonly NewlyAccepted[]): Promise<void>;
  settled(tx: Tx, verdicts: readonly Verdict[]): Promise<void>;
}

/** The effects of several features as one, in their order: a later one may read what an earlier one wrote. */
export function combineEffects(effects: readonly Partial<Effects>[]): Effects {
  return {
    accepted: async (tx, intents) => {
      for (const effect of effects) await effect.accepted?.(tx, intents);
    },
    settled: async (tx, verdicts) => {
      for (const effect of effects) await effect.settled?.(tx, verdicts);
    },
  };
}
