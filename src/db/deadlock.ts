import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL's code for a transaction that it ended because it and another one waited for each other. */
const DEADLOCK = '40P01';
const MAX_TRIES = 5;
/** The other one may be slow to wake, and would meet the next try as it met this one. */
const PAUSE_MS = 20;

/**
 * Does a transaction again that a deadlock ended: nothing of it was done, and the other one goes on. Acceptance and
 * cancelling lock balances before contracts and intents, verdicts lock them the other way round.
 */
export async function retryOnDeadlock<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transaction();
    } catch (error) {
      const isDeadlock = error instanceof Error && 'code' in error && error.code === DEADLOCK;
      if (!isDeadlock || tries === MAX_TRIES) throw error;
      await sleep(randomInt(tries * PAUSE_MS));
    }
  }
}
