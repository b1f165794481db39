import { AppError } from '../errors.ts';
import { createOneAtATime } from '../lib/one-at-a-time.ts';
import { query } from './client.ts';
import type { Db, Tx } from './client.ts';
import { retryOnDeadlock } from './deadlock.ts';

/** Changes of an account that wait behind the one that runs; each is a request with its body in memory. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 1;

/** The accounts' turns in each pool of connections: a process has one, a simulation one for each of its processes. */
const turns = new WeakMap<Db, ReturnType<typeof createTurns>>();

function createTurns() {
  return createOneAtATime(
    MAX_WAITING,
    () =>
      new AppError('RATE_LIMITED', 'Too many changes of this account wait for each other', {
        retryAfterSeconds: RETRY_SECONDS,
      }),
  );
}

/**
 * Changes what belongs to an account in a database transaction that holds the account's row, so that no other replica
 * changes it meanwhile. The only way to do so for a request: of an account one change runs at a time in this process,
 * and the others wait for their turn before they take a connection. Else one account could have all of them wait for
 * its row.
 * @throws AppError RATE_LIMITED when too many wait
 */
export function changeAccount<Result>(
  db: Db,
  accountId: string,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const inTurn = turns.get(db) ?? createTurns();
  turns.set(db, inTurn);
  return inTurn(accountId, () =>
    retryOnDeadlock(() =>
      db.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        return work(tx);
      }),
    ),
  );
}

/**
 * Holds the account's row until the end of the transaction: one acceptance or change of its things at a time, on any
 * replica.
 */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await query(tx, 'select 1 from accounts where id = :accountId for no key update', { accountId });
}
