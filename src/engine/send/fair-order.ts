/** A call that waits for its turn. */
export interface WaitingCall {
  accountId: string;
  /** Gas that it takes from its account's share. */
  gas: number;
}

/**
 * Gas that accounts were given beyond the one that was given least; those that were given no more than that are left
 * out.
 */
type Spent = ReadonlyMap<string, number>;

/**
 * Order of a deficit round-robin over accounts in units of gas. In each round an account sends until it has spent a
 * quantum; what it spends beyond that, with a call that is larger than the rest of its quantum, it misses in the rounds
 * that follow. Of accounts that always have something waiting, none gets more than a quantum and one call ahead of
 * another.
 * @param calls the calls of an account in their order; accounts take turns in the order of their first calls
 */
export function fairOrder<Call extends WaitingCall>(
  calls: readonly Call[],
  spent: Spent,
  quantum: number,
): Call[] {
  const least = leastSpent(calls, spent);
  const places = new Map<string, number>();
  const starts = new Map<string, number>();
  const turns = calls.map((call) => {
    const { accountId, gas } = call;
    const start = starts.get(accountId) ?? Math.max(0, (spent.get(accountId) ?? 0) - least);
    starts.set(accountId, start + gas);
    const place = places.get(accountId) ?? places.size;
    places.set(accountId, place);
    return { call, round: Math.floor(start / quantum), place };
  });
  // The sort is stable, and the rounds of an account's calls never go back: its order stands.
  return turns.sort((a, b) => a.round - b.round || a.place - b.place).map(({ call }) => call);
}

/**
 * What accounts have spent when these calls are `sent`. An account that has nothing waiting saves nothing up, and what
 * it owes it still owes when it comes back.
 * @param calls all that was waiting
 */
export function spendGas(
  calls: readonly WaitingCall[],
  sent: readonly WaitingCall[],
  spent: Spent,
): Map<string, number> {
  const before = leastSpent(calls, spent);
  const after = new Map(spent);
  for (const { accountId, gas } of sent) {
    after.set(accountId, Math.max(before, after.get(accountId) ?? 0) + gas);
  }
  const least = leastSpent(calls, after);
  return new Map([...after].flatMap(([account, gas]) => (gas > least ? [[account, gas - least]] : [])));
}

/** The least that an account with something waiting has spent; 0 when nothing waits. */
function leastSpent(calls: readonly WaitingCall[], spent: Spent): number {
  const least = calls.reduce((gas, { accountId }) => Math.min(gas, spent.get(accountId) ?? 0), Infinity);
  return least === Infinity ? 0 : least;
}
