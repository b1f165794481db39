import type { Tx } from '../../db/client.ts';
import type { Claim, Effects, Hold, NewlyAccepted, Verdict } from '../../engine/index.ts';
import type { AppError } from '../../errors.ts';
import { PLAN_LIMITS } from '../../lib/plans.ts';
import type { Meter } from '../../lib/plans.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import {
  changeBalances,
  findEndedHolds,
  findOpenHolds,
  insertEntries,
  lockBalances,
  openPeriods,
  raiseGrants,
  raiseGrantsFor,
} from './store.ts';
import type { Balance, BalanceChange, LedgerEntry } from './store.ts';

/** A balance, and what the claims of this transaction took of it. */
interface Claimed extends Balance {
  taken: number;
}

/**
 * Takes claims from the running month, in their order. The balances are locked: however many run in parallel, exactly
 * as many succeed as the plan allows. Inside the caller's transaction.
 */
export async function hold(tx: Tx, claims: readonly Claim[]): Promise<(Hold | AppError)[]> {
  const balances = await openBalances(tx, claims);
  const results = claims.map((claim) => takeClaim(balances.get(keyOf(claim))!, claim));
  await raiseGrants(tx, [...balances.values()]);
  const changes = [...balances.values()].filter(({ taken }) => taken > 0);
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

/** Keeps the ledger as the intents go that holds belong to. */
export const holds: Effects = { accepted: recordHolds, settled: settleHolds };

/** The locked balances that the claims are on; a month that has none yet is opened. */
async function openBalances(tx: Tx, claims: readonly Claim[]): Promise<Map<string, Claimed>> {
  const meters = [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()];
  let balances = await lockBalances(tx, meters);
  if (balances.length < meters.length) {
    await openPeriods(tx, meters);
    balances = await lockBalances(tx, meters);
  }
  return new Map(balances.map((balance) => [keyOf(balance), { ...balance, taken: 0 }]));
}

/** Takes a claim of its balance, or says why not. */
function takeClaim(balance: Claimed, claim: Claim): Hold | AppError {
  const limit = PLAN_LIMITS[balance.plan];
  const used = Number(balance.used) + balance.taken + claim.amount;
  if (used > limit) return quotaExceeded(claim.meter, balance.plan);
  balance.taken += claim.amount;
  return { ...claim, period: balance.period, remaining: limit - used };
}

function keyOf({ accountId, meter }: { accountId: string; meter: Meter }): string {
  return `${accountId} ${meter}`;
}

/** Writes the ledger entries of holds, now that their intents have numbers. */
async function recordHolds(tx: Tx, accepted: readonly NewlyAccepted[]): Promise<void> {
  await insertEntries(
    tx,
    accepted.flatMap(({ intent, hold: granted }) =>
      granted ? [{ ...granted, kind: 'hold' as const, intentNumber: intent.number, round: 0 }] : [],
    ),
  );
}

/** What ends a hold; null for a verdict that is not final. */
const END_OF_HOLD: Record<Verdict['outcome'], 'commit' | 'release' | null> = {
  confirmed: null,
  retracted: null,
  reopened: null,
  final: 'commit',
  failed: 'release',
  cancelled: 'release',
};

/**
 * Ends the holds of intents with a final verdict: spent when there was an effect, given back when there was none. The
 * unique index on the ledger's verdicts refuses a second end. Those of reopened verdicts are held again before.
 */
async function settleHolds(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  await reopenHolds(
    tx,
    verdicts.filter(({ outcome }) => outcome === 'reopened').map(({ intent }) => intent.number),
  );
  const ends = new Map(
    verdicts.flatMap(({ intent, outcome }) => {
      const end = END_OF_HOLD[outcome];
      return end ? [[intent.number, end] as const] : [];
    }),
  );
  if (ends.size === 0) return;
  const ended = (await findOpenHolds(tx, [...ends.keys()])).map((entry) => ({
    ...entry,
    kind: ends.get(entry.intentNumber)!,
    remaining: null,
  }));
  await insertEntries(tx, ended);
  await changeBalances(tx, sumChanges(ended));
}

/**
 * Opens holds again that had ended. One that was given back may be of a quota that is used up since: the effect is on
 * the chain, so it is charged nevertheless.
 */
async function reopenHolds(tx: Tx, numbers: readonly bigint[]): Promise<void> {
  if (numbers.length === 0) return;
  const reopened = (await findEndedHolds(tx, numbers)).map(({ end, ...entry }) => ({
    ...entry,
    kind: end === 'commit' ? ('retract' as const) : ('recharge' as const),
    round: entry.round + 1,
    remaining: null,
  }));
  const changes = sumChanges(reopened);
  await raiseGrantsFor(tx, changes);
  await insertEntries(tx, reopened);
  await changeBalances(tx, changes);
}

/** What an entry changes of a balance, as multiples of its amount. */
const EFFECTS: Record<LedgerEntry['kind'], { held: number; committed: number }> = {
  hold: { held: 1, committed: 0 },
  commit: { held: -1, committed: 1 },
  release: { held: -1, committed: 0 },
  retract: { held: 1, committed: -1 },
  recharge: { held: 1, committed: 0 },
};

/** The changes of balances that follow from entries, one a balance. */
function sumChanges(entries: readonly LedgerEntry[]): BalanceChange[] {
  const changes = new Map<string, BalanceChange>();
  for (const { accountId, meter, period, kind, amount } of entries) {
    const key = `${accountId} ${meter} ${period}`;
    const change = changes.get(key) ?? { accountId, meter, period, held: 0, committed: 0 };
    change.held += EFFECTS[kind].held * amount;
    change.committed += EFFECTS[kind].committed * amount;
    changes.set(key, change);
  }
  return [...changes.values()];
}
