import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import { inList } from '../../db/in-list.ts';
import type { Claiming, Holds } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { BRAKES, isBrake } from '../../lib/brakes.ts';
import { BRAKES_BEYOND_GAS } from '../../lib/plans.ts';
import { DAY } from './store.ts';

/*
 * Whatever has used up the gas of a day, an issuer can still stop its tokens: some brakes a day pass without a hold,
 * and are charged nothing. How many were is read from the intents themselves, which tell that they hold nothing.
 */

/** What they are counted by. */
type BrakeSort = keyof typeof BRAKES_BEYOND_GAS;

const SORTS: Readonly<Record<BrakeSort, string>> = {
  freezes: 'freezes of accounts',
  others: 'pauses, transfer locks, closed mints and lower limits',
};

/** Null for what is no brake. */
function sortOf({ kind }: Pick<Claiming, 'kind'>): BrakeSort | null {
  if (!isBrake(kind)) return null;
  return kind === 'freeze' ? 'freezes' : 'others';
}

/**
 * Lets brakes through that were refused, while their account has some left of the day. Returns the results in the order
 * of the requests. Inside the caller's transaction, in which the rows of the accounts are locked.
 */
export async function passBrakes(
  tx: Tx,
  requests: readonly Claiming[],
  results: readonly (Holds | AppError)[],
): Promise<(Holds | AppError)[]> {
  const isRefused = (request: Claiming, index: number): boolean =>
    results[index] instanceof AppError && isBrake(request.kind);
  const refused = requests.filter(isRefused);
  if (refused.length === 0) return [...results];
  const passed = await countPassed(tx, [...new Set(refused.map(({ accountId }) => accountId))]);
  return requests.map((request, index) => {
    const [result, sort] = [results[index]!, sortOf(request)];
    if (!sort || !(result instanceof AppError)) return result;
    if (request.refusal) return request.refusal;
    const place = `${request.accountId} ${sort}`;
    const count = passed.get(place) ?? 0;
    if (count >= BRAKES_BEYOND_GAS[sort]) return noneLeft(result, sort);
    passed.set(place, count + 1);
    return { held: null, heldGas: null };
  });
}

/** How many passed today, by account and sort. */
async function countPassed(tx: Tx, accountIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await query<{ accountId: string; kind: string; count: number }>(
    tx,
    `select account_id as "accountId", kind, count(*)::int as count from intents
      where account_id = any(:accountIds::uuid[]) and held_gas is null and target is not null
        and kind ${inList(BRAKES)} and created_at >= ${DAY}::timestamp at time zone 'utc'
      group by account_id, kind`,
    { accountIds: [...accountIds] },
  );
  const passed = new Map<string, number>();
  for (const { accountId, count, ...row } of rows) {
    const place = `${accountId} ${sortOf(row)}`;
    passed.set(place, (passed.get(place) ?? 0) + count);
  }
  return passed;
}

function noneLeft({ code, message, retryAfterSeconds }: AppError, sort: BrakeSort): AppError {
  const past = `The ${BRAKES_BEYOND_GAS[sort]} ${SORTS[sort]} a day beyond it are used up as well.`;
  return new AppError(
    code,
    `${message} ${past}`,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}
