import type { Response } from 'express';
import { AppError } from '../errors.ts';
import { createOneAtATime } from '../lib/one-at-a-time.ts';
import { tooManyRequests } from './rate-limit.ts';

/** Of an account, behind the one that is worked on; each has its body in memory. */
const MAX_WAITING = 100;
const RETRY_MS = 1_000;

/**
 * Waits until no other dear request of the account is worked on, and lets the event loop serve others before. The turn
 * lasts until `endTurn`, however early the client leaves: else an account could have as much worked on at a time as it
 * sends.
 * @throws AppError RATE_LIMITED when too many wait, VALIDATION_ERROR when the client has left meanwhile
 */
export type TakeTurn = (accountId: string, response: Response) => Promise<void>;

/**
 * Makes the turns of this process. Parsing, checking and encoding hold up its one thread, a preview the node as well.
 */
export function createDearTurns(): TakeTurn {
  const inTurn = createOneAtATime(MAX_WAITING, () =>
    tooManyRequests('Too many dear requests of this account wait for each other.', RETRY_MS),
  );
  return async (accountId, response) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    await new Promise<void>((begin, refuse) => {
      const work = (): Promise<void> => {
        setImmediate(begin);
        return over;
      };
      inTurn(accountId, work).catch(refuse);
    });
    response.locals['endTurn'] = end;
    if (response.req.socket.destroyed)
      throw new AppError('VALIDATION_ERROR', 'The connection ended before the answer.');
  };
}

/** Ends the turn of a request, if it has one: what is left of it takes no work of this process. */
export const endTurn = (response: Response): void =>
  (response.locals['endTurn'] as (() => void) | undefined)?.();
