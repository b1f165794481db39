import type { Response } from 'express';
import { createOneAtATime } from '../lib/one-at-a-time.ts';
import { tooManyRequests } from './rate-limit.ts';

/** Of an account, behind the one that is worked on; each has its body in memory. */
const MAX_WAITING = 100;
const RETRY_MS = 1_000;

/**
 * Waits until no other dear request of the account is worked on, and lets the event loop serve others before. The turn ends with
 * the answer, or the connection, at the latest.
 * @returns ends the turn before: what is left takes no work of this process
 * @throws AppError RATE_LIMITED when too many wait
 */
export type TakeTurn = (accountId: string, response: Response) => Promise<() => void>;

/** Makes the turns of this process. Parsing, checking and encoding hold up its one thread, a preview the node as well. */
export function createDearTurns(): TakeTurn {
  const inTurn = createOneAtATime(MAX_WAITING, () =>
    tooManyRequests('Too many dear requests of this account wait for each other.', RETRY_MS),
  );
  return (accountId, response) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    if (response.closed) end();
    else response.once('close', end);
    return new Promise((begin, refuse) => {
      const work = (): Promise<void> => {
        setImmediate(() => begin(end));
        return over;
      };
      inTurn(accountId, work).catch(refuse);
    });
  };
}
