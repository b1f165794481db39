import { createBatcher } from '../../lib/batcher.ts';
import type { Db, Tx } from '../../db/client.ts';
import type { Claim, Hold, Intent, Verdict } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { CREDIT_PRICES, PLAN_LIMITS } from '../../plans.ts';
import type { Meter, Network, Plan, Prices } from '../../plans.ts';
import {
  changeBalances,
  findHolds,
  findOpenHolds,
  insertEntries,
  lockBalances,
  openPeriods,
  raiseGrants,
  readUsage,
} from './store.ts';
import type { BalanceChange } from './store.ts';

/** What a month of one meter looks like to its account. */
export interface Usage {
  plan: Plan;
  limit: number;
  used: number;
  /** Never below 0, also after a downgrade. */
  remaining: number;
  periodStart: Date;
  periodEnd: Date;
}

const keyOf = ({ accountId, meter }: { accountId: string; meter: Meter }): string => `${accountId} ${meter}`;

/**
 * Takes claims from the running month, in their order. The balances are locked: however many run in parallel, exactly
 * as many succeed as the plan allows. Inside the caller's transaction, like all of this file.
 */
export async function hold(tx: Tx, claims: readonly Claim[]): Promise<(Hold | AppError)[]> {
  const meters = [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()];
  let balances = await lockBalances(tx, meters);
  if (balances.length < meters.length) {
    await openPeriods(tx, meters);
    balances = await lockBalances(tx, meters);
  }
  const byKey = new Map(balances.map((balance) => [keyOf(balance), { ...balance, taken: 0 }]));
  const results = claims.map((claim): Hold | AppError => {
    const balance = byKey.get(keyOf(claim))!;
    const limit = PLAN_LIMITS[balance.plan];
    if (Number(balance.used) + balance.taken + claim.amount > limit)
      return quotaExceeded(claim.meter, balance.plan);
    balance.taken += claim.amount;
    const remaining = limit - Number(balance.used) - balance.taken;
    return { ...claim, period: balance.period, remaining };
  });
  await raiseGrants(
    tx,
    [...byKey.values()].filter(({ plan, granted }) => granted < PLAN_LIMITS[plan]),
  );
  const changes = [...byKey.values()].filter(({ taken }) => taken > 0);
  await changeBalances(
    tx,
    changes.map(({ accountId, meter, period, taken }) => ({
      accountId,
      meter,
      period,
      held: taken,
      committed: 0,
    })),
  );
  return results;
}

const quotaExceeded = (meter: Meter, plan: Plan): AppError =>
  new AppError(
    'QUOTA_EXCEEDED',
    meter === 'mints'
      ? `The mint quota of plan ${plan} is used up for this month (UTC); GET /stats tells when the next one starts`
      : `The credits of plan ${plan} do not suffice until the next month (UTC); GET /v1/billing/credits tells more`,
  );

/**
 * Lets a changed plan act in the running month: a better one raises what is granted, as far as the month was opened; a
 * lesser one takes nothing back, and only refuses new holds.
 */
export async function followPlan(tx: Tx, accountId: string): Promise<void> {
  const meters = (['credits', 'mints'] as const).map((meter) => ({ accountId, meter }));
  const balances = await lockBalances(tx, meters);
  await raiseGrants(
    tx,
    balances.filter(({ plan, granted }) => granted < PLAN_LIMITS[plan]),
  );
}

/** Writes the ledger entries of holds, now that their intents have numbers. */
export async function recordHolds(
  tx: Tx,
  accepted: readonly { intent: Intent; hold: Hold | null }[],
): Promise<void> {
  await insertEntries(
    tx,
    accepted.flatMap(({ intent, hold }) =>
      hold ? [{ ...hold, kind: 'hold' as const, intentNumber: intent.number }] : [],
    ),
  );
}

/**
 * Ends the holds of intents with a final verdict: spent when there was an effect, given back when there was none. The
 * unique index on the ledger's verdicts refuses a second end, whoever tries.
 */
export async function settleHolds(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  const final = new Map(
    verdicts
      .filter(({ outcome }) => outcome !== 'confirmed' && outcome !== 'retracted')
      .map(({ intent, outcome }) => [intent.number, outcome]),
  );
  if (final.size === 0) return;
  const ended = (await findOpenHolds(tx, [...final.keys()])).map((entry) => ({
    ...entry,
    kind: final.get(entry.intentNumber) === 'final' ? ('commit' as const) : ('release' as const),
    remaining: null,
  }));
  await insertEntries(tx, ended);
  const changes = new Map<string, BalanceChange>();
  for (const { accountId, meter, period, kind, amount } of ended) {
    const key = `${accountId} ${meter} ${period}`;
    const change = changes.get(key) ?? { accountId, meter, period, held: 0, committed: 0 };
    change.held -= amount;
    if (kind === 'commit') change.committed += amount;
    changes.set(key, change);
  }
  await changeBalances(tx, [...changes.values()]);
}

export interface MeteringService {
  /** Credits that things cost on this network. */
  prices: Prices;
  /** The running month of one meter. */
  usage(accountId: string, meter: Meter): Promise<Usage>;
  /** What an intent's hold took, and what it left at that moment: the same at each replay. Null when it has none. */
  spent(intentNumber: bigint): Promise<Spent | null>;
}

/** One hold as its caller is told of it. */
export interface Spent {
  amount: number;
  remaining: number;
}

export function createMeteringService(db: Db, network: Network): MeteringService {
  return {
    prices: CREDIT_PRICES[network],
    usage: async (accountId, meter) => {
      const usage = await readUsage(db, accountId, meter);
      if (!usage) throw new AppError('NOT_FOUND', 'This account does not exist any more');
      const limit = PLAN_LIMITS[usage.plan];
      return { ...usage, limit, remaining: Math.max(0, limit - usage.used) };
    },
    spent: createBatcher<bigint, Spent | null>(async (numbers) => {
      const found = await findHolds(db, numbers);
      return numbers.map((number) => found.get(number) ?? null);
    }),
  };
}
