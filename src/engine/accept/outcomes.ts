import type { AppError } from '../../errors.ts';
import type { Intent, NewIntent } from '../intent.ts';

/** An accepted intent; `replayed` when an earlier request under the same key had made it. */
export interface Accepted {
  intent: Intent;
  replayed: boolean;
}

/** What became of requests so far; those without an entry go on. */
export type Outcomes = Map<NewIntent, Accepted | AppError>;
