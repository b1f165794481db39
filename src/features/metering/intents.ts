import type { Tx } from '../../db/client.ts';
import { leaveHoldsToLedger } from '../../engine/index.ts';
import type { Claiming, Effects, Hold, HoldAll, NewlyAccepted, Verdict } from '../../engine/index.ts';
import type { AppError } from '../../errors.ts';
import { PLAN_LIMITS } from '../../lib/plans.ts';
import type { GasPerDay, LedgerMeter } from '../../lib/plans.ts';
import { passBrakes } from './brakes.ts';
import { findRefunds, insertCharges } from './gas-store.ts';
import type { Charge } from './gas-store.ts';
import { chargesOf, estimateDraw, gasExceeded } from './gas.ts';
import { quotaExceeded } from './quota-exceeded.ts';
import {
  findEndedHolds,
  findOpenHolds,
  insertEntries,
  lockBalances,
  openPeriods,
  raiseGrants,
  raiseGrantsFor,
  writeEntries,
} from './store.ts';
import type { Balance, BalanceChange, LedgerEntry } from './store.ts';

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
 * `recordHolds` writes what was taken.
 */
export function createHold(gasPerDay: GasPerDay): HoldAll {
  return async (tx, requests) => {
    const claims = requests.map(claimsOf);
    const all = claims.flat();
    if (all.length === 0) return requests.map(() => []);
    const balances = await openBalances(tx, all);
    const results = claims.map((each) => takeClaims(balances, each, gasPerDay));
    await raiseGrants(tx, [...balances.values()]);
    return passBrakes(tx, requests, results);
  };
}

/** Keeps the ledger as the intents go that holds belong to. */
export const holds: Effects = { accepted: recordHolds, settled: settleHolds };

/** What a request costs: units of a quota, and gas. A claim of no gas asks only whether the day has any. */
function claimsOf(request: Claiming): Claim[] {
  const { accountId, cost } = request;
  const gas = estimateDraw(request);
  return [
    ...(cost ? [{ accountId, ...cost }] : []),
    ...(gas === null ? [] : [{ accountId, meter: 'gas' as const, amount: gas }]),
  ];
}

/** The locked balances that the claims are on. A period that has none yet is opened, unless nothing is claimed of it. */
async function openBalances(tx: Tx, claims: readonly Claim[]): Promise<Map<string, Claimed>> {
  const meters = [...new Map(claims.map((claim) => [keyOf(claim), claim])).values()];
  let balances = await lockBalances(tx, meters);
  const found = new Set(balances.map(keyOf));
  const missing = claims.filter((claim) => claim.amount > 0 && !found.has(keyOf(claim)));
  if (missing.length > 0) {
    await openPeriods(tx, missing);
    balances = await lockBalances(tx, meters);
  }
  return new Map(balances.map((balance) => [keyOf(balance), { ...balance, taken: 0 }]));
}

/** Takes all claims of one request, or none, and then says why not. */
function takeClaims(
  balances: ReadonlyMap<string, Claimed>,
  claims: readonly Claim[],
  gasPerDay: GasPerDay,
): Hold[] | AppError {
  const taking = claims.flatMap((claim) => {
    const balance = balances.get(keyOf(claim));
    return balance ? [{ balance, claim }] : [];
  });
  const holds: Hold[] = [];
  for (const { balance, claim } of taking) {
    const limit = limitOf(balance, gasPerDay);
    const used = Number(balance.used) + balance.taken + claim.amount;
    if (used > limit) return exceeded(balance, claim, limit);
    if (claim.amount > 0) holds.push({ ...claim, period: balance.period, remaining: limit - used });
  }
  for (const { balance, claim } of taking) balance.taken += claim.amount;
  return holds;
}

function limitOf({ meter, plan, gasPerDay: own }: Balance, gasPerDay: GasPerDay): number {
  return meter === 'gas' ? Number(own ?? gasPerDay[plan]) : PLAN_LIMITS[plan];
}

function exceeded(balance: Claimed, { meter, amount }: Claim, limit: number): AppError {
  if (meter !== 'gas') return quotaExceeded(meter, balance.plan);
  return gasExceeded({ ...balance, used: balance.used + BigInt(balance.taken) }, amount, limit);
}

function keyOf({ accountId, meter }: { accountId: string; meter: LedgerMeter }): string {
  return `${accountId} ${meter}`;
}

/** Writes the holds, now that their intents have numbers. Those of quotas stand in the intents' own rows. */
async function recordHolds(tx: Tx, accepted: readonly NewlyAccepted[]): Promise<void> {
  const entries = accepted.flatMap(({ intent, holds: granted }) =>
    granted.map((hold) => ({ ...hold, kind: 'hold' as const, intentNumber: intent.number, round: 0 })),
  );
  const ofGas = entries.filter(({ meter }) => meter === 'gas');
  await writeEntries(tx, ofGas, sumChanges(entries));
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
 * Ends the holds of intents with a final verdict: spent when there was an effect, given back when there was none. What
 * stands in the row of an intent has ended with that row, once; of what the ledger has, its unique indexes refuse a second
 * end, and a second charge. Gas is charged as it was used. Those of reopened verdicts are held again, and refunded, before.
 */
async function settleHolds(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  const reopened = verdicts.filter(({ outcome }) => outcome === 'reopened');
  await reopenHolds(tx, reopened);
  const ending = verdicts.filter(({ outcome }) => END_OF_HOLD[outcome] !== null);
  if (ending.length === 0) return;
  const ends = new Map(ending.map(({ intent, outcome }) => [intent.number, END_OF_HOLD[outcome]!]));
  const leftToLedger = new Set(reopened.map(({ intent }) => intent.number));
  const own = ending.flatMap(({ intent, outcome }) =>
    intent.held && !leftToLedger.has(intent.number)
      ? [{ ...intent.held, accountId: intent.accountId, kind: END_OF_HOLD[outcome]! }]
      : [],
  );
  const inLedger = ending.filter(({ intent }) => intent.inLedger || leftToLedger.has(intent.number));
  const open = await findOpenHolds(
    tx,
    inLedger.map(({ intent }) => intent.number),
  );
  const ended = open.map((entry) => ({
    ...entry,
    // A hold of gas was an estimate.
    kind: entry.meter === 'gas' ? ('release' as const) : ends.get(entry.intentNumber)!,
    remaining: null,
  }));
  const charges = chargesOf(
    ending,
    open.filter(({ meter }) => meter === 'gas'),
  );
  await insertCharges(tx, charges);
  await writeEntries(tx, ended, sumChanges([...own, ...ended, ...charges.map(toEntry)]));
}

const toEntry = (charge: Charge) => ({ ...charge, meter: 'gas' as const, kind: 'charge' as const });

/**
 * Opens holds again that had ended, and refunds gas. A hold that was given back may be of a quota that is used up since:
 * the effect is on the chain, so it is charged nevertheless.
 */
async function reopenHolds(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await writeOut(tx, verdicts);
  const numbers = verdicts.map(({ intent }) => intent.number);
  const reopened = (await findEndedHolds(tx, numbers)).map(({ end, ...entry }) => ({
    ...entry,
    kind: end === 'commit' ? ('retract' as const) : ('recharge' as const),
    round: entry.round + 1,
    remaining: null,
  }));
  const entries = [...reopened, ...(await findRefunds(tx, numbers))];
  const changes = sumChanges(entries);
  await raiseGrantsFor(tx, changes);
  await writeEntries(tx, entries, changes);
}

/** Writes holds of quotas that had ended into the ledger, from their intents' rows: it has room for more than one end. */
async function writeOut(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  const entries = verdicts.flatMap(
    ({ intent: { number, accountId, held, createdAt }, wasSuccess }): LedgerEntry[] => {
      if (!held) return [];
      const entry = { ...held, accountId, intentNumber: number, round: 0 };
      return [
        { ...entry, kind: 'hold', createdAt },
        { ...entry, kind: wasSuccess ? 'commit' : 'release', remaining: null },
      ];
    },
  );
  await insertEntries(tx, entries);
  await leaveHoldsToLedger(
    tx,
    verdicts.map(({ intent }) => intent.number),
  );
}

/** What an entry changes of a balance, as multiples of its amount. */
const EFFECTS: Record<LedgerEntry['kind'], { held: number; committed: number }> = {
  hold: { held: 1, committed: 0 },
  commit: { held: -1, committed: 1 },
  release: { held: -1, committed: 0 },
  retract: { held: 1, committed: -1 },
  recharge: { held: 1, committed: 0 },
  charge: { held: 0, committed: 1 },
  refund: { held: 0, committed: -1 },
};

/** The changes of balances that follow from entries, one a balance. */
function sumChanges(
  entries: readonly Pick<LedgerEntry, 'accountId' | 'meter' | 'period' | 'kind' | 'amount'>[],
): BalanceChange[] {
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
