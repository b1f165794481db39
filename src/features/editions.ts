import { AppError } from '../errors.ts';

/** As much of a token as tells its edition. */
export interface OfEdition {
  /** Whether holdings can be moved without consent. Null for a token of the first edition, which has no bounds. */
  recoverable: boolean | null;
}

/** A token of the second edition. @throws AppError VALIDATION_ERROR for one of the first, which has none of its functions */
export function requireSecondEdition<Token extends OfEdition>(
  token: Token,
): Token & { recoverable: boolean } {
  const { recoverable } = token;
  if (recoverable === null) {
    throw new AppError('VALIDATION_ERROR', 'This token is of the first edition, which has no such function');
  }
  return { ...token, recoverable };
}
