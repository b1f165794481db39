import type { Tx } from '../../db/client.ts';
import { noteChargedGas } from '../../engine/index.ts';
import type { Claiming, FollowUps, HoldAll, Holds, Intent, VerdictChange } from '../../engine/index.ts';
import type { AppError } from '../../errors.ts';
import { PLAN_LIMITS } from '../../lib/plans.ts';
import type { GasPerDay, LedgerMeter } from '../../lib/plans.ts';
import { passBrakes } from './brakes.ts';
import { chargeOf, estimateDraw, gasExceeded } from './gas.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import { changeBalances, lockBalances, openBalances } from './store.ts';
import type { Balance, BalanceChange } from './store.ts';

/*
 * What an intent holds stands in its own row: units of a quota, and gas. Its verdict is the end of both. The balances
 * are sums of that which are kept in the same database transaction; the view `ledger` adds the rows up.
 */

/** A balance, and what the claims of this transaction took of it. */
interface Claimed extends Balance {
  taken: number;
}

/** What one request asks of one balance. */
interface Claim {
  accountId: string;
  meter: LedgerMeter;
  amount: number;
}

/**
 * Makes the function that takes what requests claim of the running periods, in their order. The balances are locked:
 * however many run in parallel, exactly as many succeed as the plan allows. Inside the caller's transaction, in which
 * the rows of the intents are written.
 */
export function createHold(gasPerDay: GasPerDay): HoldAll {
  return async (tx, requests) => {
    const claims = requests.map(claimsOf);
    const balances = await claimBalances(tx, claims.flat());
    const results = requests.map((request, index) =>
      takeClaims(balances, { request, claims: claims[index]! }, gasPerDay),
    );
    await changeBalances(tx, [...balances.values()].filter(({ taken }) => taken > 0).map(takenOf));
    return passBrakes(tx, requests, results);
  };
}

/** Ends what intents hold with their verdicts, and opens it again when a verdict was not final after all. */
export const holds: Partial<FollowUps> = { settled: settleHolds };

/** What a request costs: units of a quota, and gas. A claim of no gas asks only whether the day has any. */
function claimsOf(request: Claiming): Claim[] {
  const { accountId, cost } = request;
  const gas = estimateDraw(request);
  return [
    ...(cost ? [{ accountId, ...cost }] : []),
    ...(gas === null ? [] : [{ accountId, meter: 'gas' as const, amount: gas }]),
  ];
}

/** The locked balances that the claims are on. One that is not there yet is opened, unless nothing is claimed of it. */
async function claimBalances(tx: Tx, claims: readonly Claim[]): Promise<Map<string, Claimed>> {
  if (claims.length === 0) return new Map();
  const meters = [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()];
  let balances = await lockBalances(tx, meters);
  const found = new Set(balances.map(keyOf));
  const missing = claims.filter((claim) => claim.amount > 0 && !found.has(keyOf(claim)));
  if (missing.length > 0) {
    await openBalances(tx, missing);
    balances = await lockBalances(tx, meters);
  }
  return new Map(balances.map((balance) => [keyOf(balance), { ...balance, taken: 0 }]));
}

/** Takes all claims of one request, or none, and then says why not. */
function takeClaims(
  balances: ReadonlyMap<string, Claimed>,
  { request, claims }: { request: Claiming; claims: readonly Claim[] },
  gasPerDay: GasPerDay,
): Holds | AppError {
  const taking = claims.flatMap((claim) => {
    const balance = balances.get(keyOf(claim));
    return balance ? [{ balance, claim }] : [];
  });
  const taken: Holds = { held: null, heldGas: null };
  for (const { balance, claim } of taking) {
    const limit = limitOf(balance, gasPerDay);
    const { meter, amount } = claim;
    const used = Number(balance.used) + balance.taken + amount;
    if (used > limit) return exceeded(balance, claim, limit);
    if (meter !== 'gas') taken.held = { meter, amount, remaining: limit - used };
    else if (amount > 0) taken.heldGas = amount;
  }
  if (request.refusal) return request.refusal;
  for (const { balance, claim } of taking) balance.taken += claim.amount;
  return taken;
}

function limitOf({ meter, plan, gasPerDay: own }: Balance, gasPerDay: GasPerDay): number {
  return meter === 'gas' ? Number(own ?? gasPerDay[plan]) : PLAN_LIMITS[plan];
}

function exceeded(balance: Claimed, { meter, amount }: Claim, limit: number): AppError {
  if (meter !== 'gas') return quotaExceeded(meter, balance.plan);
  return gasExceeded({ ...balance, used: balance.used + BigInt(balance.taken) }, amount, limit);
}

/** A plan that is better than those of the month before grants more; a lesser one takes nothing back. */
function takenOf({ accountId, meter, period, plan, granted, taken }: Claimed): BalanceChange {
  const more = meter === 'gas' ? 0 : Math.max(0, PLAN_LIMITS[plan] - Number(granted));
  return { accountId, meter, period, granted: more, held: taken, committed: 0 };
}

function keyOf({ accountId, meter }: { accountId: string; meter: LedgerMeter }): string {
  return `${accountId} ${meter}`;
}

/** Whether a verdict spends what its intent holds of a quota, or gives it back; null for one that is not final. */
const IS_SPENT: Record<VerdictChange['outcome'], boolean | null> = {
  confirmed: null,
  retracted: null,
  reopened: null,
  final: true,
  failed: false,
  cancelled: false,
};

/**
 * Ends what intents with a final verdict hold: spent when there was an effect, given back when there was none, and gas
 * charged as it was used. What stands in the row of an intent ends with that row, once. A reopened verdict is the same
 * turned around.
 */
async function settleHolds(tx: Tx, verdicts: readonly VerdictChange[]): Promise<void> {
  const ended = verdicts
    .filter(({ outcome }) => IS_SPENT[outcome] !== null)
    .map((verdict) => ({ ...verdict, charge: chargeOf(verdict) }));
  const changes = sumChanges([
    ...verdicts.filter(({ outcome }) => outcome === 'reopened').flatMap(reopeningOf),
    ...ended.flatMap(({ intent, outcome, charge }) => endOf(intent, IS_SPENT[outcome]!, charge)),
  ]);
  await noteChargedGas(tx, ended);
  // What held no gas may be the first of its day that is charged any.
  const opening = ended.filter(({ intent, charge }) => charge > 0 && intent.heldGas === null);
  if (opening.length > 0)
    await openBalances(
      tx,
      opening.map(({ intent }) => gasBalanceOf(intent)),
    );
  await changeBalances(tx, changes);
}

const gasBalanceOf = ({ accountId, createdAt }: Intent) => ({
  accountId,
  meter: 'gas' as const,
  period: createdAt.toISOString().slice(0, 'yyyy-mm-dd'.length),
});

/** What the end of an intent changes. */
function endOf(intent: Intent, isSpent: boolean, charge: number): BalanceChange[] {
  const { accountId, held, heldGas, createdAt } = intent;
  const changes: BalanceChange[] = [];
  if (held) {
    const { meter, amount } = held;
    const period = `${createdAt.toISOString().slice(0, 'yyyy-mm'.length)}-01`;
    const committed = isSpent ? amount : 0;
    changes.push({ accountId, meter, period, granted: 0, held: -amount, committed });
  }
  if (heldGas || charge)
    changes.push({ ...gasBalanceOf(intent), granted: 0, held: -(heldGas ?? 0), committed: charge });
  return changes;
}

/**
 * What an end that was none changes. What was given back may be of a quota that is used up since: the effect is on the
 * chain, so it is granted, and charged.
 */
function reopeningOf({ intent, wasSuccess = false }: VerdictChange): BalanceChange[] {
  return endOf(intent, wasSuccess, intent.chargedGas ?? 0).map((change) => ({
    ...change,
    granted: change.meter === 'gas' || wasSuccess ? 0 : -change.held,
    held: -change.held,
    committed: -change.committed,
  }));
}

/** The sums of changes, one a balance. */
function sumChanges(all: readonly BalanceChange[]): BalanceChange[] {
  const sums = new Map<string, BalanceChange>();
  for (const change of all) {
    const key = `${keyOf(change)} ${change.period}`;
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...change });
    else for (const part of ['granted', 'held', 'committed'] as const) sum[part] += change[part];
  }
  return [...sums.values()];
}
