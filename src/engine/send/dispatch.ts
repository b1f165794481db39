import type { Hex } from '../../lib/hex.ts';
import { mindAbandoned } from '../lane/broadcast.ts';
import { hasCallOf } from '../lane/lane.ts';
import type { Snapshot, Lane } from '../lane/lane.ts';
import { checkFunds } from '../lane/funds.ts';
import { noteProgress } from '../lane/lease.ts';
import {
  recheckPause,
  pauseIfBudgetSpent,
  paysForBrakes,
  ExecutionRefused,
  recheckPausedOperators,
  pauseOperator,
} from '../lane/pause.ts';
import { canSendAll, decideRole } from '../lane/sender.ts';
import { clearDrained, findBrakes, findQueued } from '../store/queue.ts';
import type { Queue, QueuedIntent } from '../store/queue.ts';
import { readSenderLook } from '../store/sender.ts';
import type { SenderLook } from '../store/sender.ts';
import type { Transaction } from '../store/transactions.ts';
import { moveStale } from './move-stale.ts';
import type { PlannedCall } from './batch.ts';
import { chooseBatch, takeTurns } from './batch.ts';
import { findAffordableBid, findSimulatedFees } from './bid.ts';
import type { AffordableBid } from './bid.ts';
import { CALL_USE, maxTransactionGas } from './gas.ts';
import { leaveOvertaken } from './leave-overtaken.ts';
import { lookForRaiseElsewhere, raiseEpochs } from './raise-epoch.ts';
import { sendCalls } from './send-calls.ts';
import { settleRefused, sortSimulated } from './refused.ts';
import type { ReadyCall, RefusedCall } from './refused.ts';
import { simulate } from './simulate.ts';
import type { GasOffer } from './simulate.ts';

/** Accounts and queued intents that are looked at for one batch; calldata in bytes. */
export const QUEUE_LOOK = { accounts: 128, limit: 500, maxBytes: 1_000_000 };
/** So many contracts without anything queued are worth a write: the next look is spared them. */
const MANY_DRAINED = 64;
/** A look reads at least so many contracts of an account, if it has them: behind fewer, nothing can hide. */
const MIN_SHARE = Math.floor(QUEUE_LOOK.limit / QUEUE_LOOK.accounts);

/** `all`: all that was found was sent, and what comes next is gathered first; `more`: there is more to do at once. */
type Dispatched = 'nothing' | 'all' | 'more';

/** Takes queued intents, simulates them in one eth_call, stores the signed transaction, and only then broadcasts it. */
export async function dispatch(lane: Lane): Promise<Dispatched> {
  const { config, latest, inFlight, turns } = lane;
  const permit = await askToTake(lane);
  if (permit === 'nothing' || permit === 'more') return permit;
  const found = await readQueue(lane, permit);
  if (found === 'nothing' || found === 'more') return found;
  const { queue, goingFirst } = found;
  await latest.refresh(config.timings.latestFreshMs);
  const bid = await findAffordableBid(lane);
  const choice = chooseBatch(lane, queue, bid?.maxGas ?? Infinity);
  const { calls } = choice;
  if (calls.length === 0) return 'nothing';

  const step = { name: 'dispatch', details: { signer: lane.key.signer, calls: calls.length } };
  try {
    const before = inFlight.snapshot();
    const batch = await config.observe.step(step, () => sendBatch(lane, calls, bid));
    const done = [...batch.sent, ...batch.refused.filter(({ isBehind }) => !isBehind)];
    takeTurns(turns, choice, {
      contracts: queue.contracts,
      done: done.map(({ intent: { accountId }, gasUsed }) => ({ accountId, gas: gasUsed + CALL_USE })),
      block: latest.block.number,
    });
    // Last: the verdicts on what was not sent hold up nothing that was.
    const decided = await settleRemaining(lane, batch, before);
    holdBehind(lane, batch, goingFirst);
    if (decided > 0) noteProgress(lane);
    if (!batch.isTried && decided === 0) return 'nothing';
    return batch.sent.length === queue.queued.length ? 'all' : 'more';
  } catch (error) {
    if (!(error instanceof ExecutionRefused)) throw error;
    // The look finds a reorg, too, that took the raise away while nothing was under way.
    if (error.refusal.reason === 'wrong-epoch') await lookForRaiseElsewhere(lane, error.at.operator);
    await pauseOperator(lane, error);
    return 'more';
  }
}

/** What the lane may take now. */
interface Permit {
  look: SenderLook;
  /** Brakes alone: the lane is paused, and what is left of the fees of the day is for them. */
  brakesOnly: boolean;
  /** Operators whose calls wait. */
  pausedOperators: readonly Hex[];
}

/**
 * Whether the lane may take calls: it is the sender, with room, funds and an epoch, and no bytes that the database does
 * not know may be under way. When it may not: the outcome of its turn.
 */
async function askToTake(lane: Lane): Promise<Permit | 'nothing' | 'more'> {
  const paused = await recheckPause(lane);
  const brakesOnly = paused && (await paysForBrakes(lane));
  const pausedOperators = await recheckPausedOperators(lane);
  await mindAbandoned(lane);
  const isFull = lane.inFlight.open().length >= lane.config.maxInFlight;
  // Each write that is accepted wakes it: a lane that is full, and has no reason to leave the rest to another one, asks
  // nothing.
  if (isFull && canSendAll(lane)) return 'nothing';
  const look = await readSenderLook(lane.db, lane.key, pausedOperators);
  const role = await decideRole(lane, look);
  // What the last sender stored until then was not looked at yet.
  if (role === 'began') return 'more';
  if (role === 'stands by') return 'nothing';
  if (look.isEpochPending) {
    // What is sent before it has begun might be of an epoch that another database began.
    if (lane.health.pause?.reason !== 'signer') await raiseEpochs(lane);
    return 'nothing';
  }
  const isCleared = () => lane.suspicion.clear(lane, look.suspected);
  // Also while nothing may be sent: until it is cleared nobody can cancel.
  if (look.suspected !== null && !(await isCleared())) return 'nothing';
  if (isFull || (paused && !brakesOnly) || !look.isAnyQueued) return 'nothing';
  if (!brakesOnly && (await pauseIfBudgetSpent(lane))) return 'nothing';
  return (await isCleared()) ? { look, brakesOnly, pausedOperators } : 'nothing';
}

/**
 * What waits for the lane, in the order in which it is sent, and the brakes in it that go first; the outcome of its
 * turn when nothing does.
 */
async function readQueue(
  lane: Lane,
  { look, brakesOnly, pausedOperators }: Permit,
): Promise<{ queue: Queue; goingFirst: readonly QueuedIntent[] } | 'nothing' | 'more'> {
  const excluded = [...lane.blocked.find(), ...look.underWay];
  const waiting: Queue = brakesOnly
    ? { queued: [], contracts: [] }
    : await findQueued(lane.db, {
        ...QUEUE_LOOK,
        ...{ excluded, pausedOperators },
        afterAccount: lane.turns.lastAccount,
        afterContracts: lane.turns.lastContracts,
      });
  // In this order: what comes back in between is not behind a brake that was asked after it.
  const goingFirst = look.isBrakeQueued
    ? await findBrakes(lane.db, { ...QUEUE_LOOK, excluded, pausedOperators, brakesOnly })
    : [];
  const taken = letPass(goingFirst, waiting);
  const drained = findDrained(taken);
  if (drained.length > 0) await clearDrained(lane.db, drained);
  // Others may be behind the drained ones.
  if (taken.queued.length === 0) return drained.length > 0 ? 'more' : 'nothing';
  const current = await takeOneEpoch(lane, taken.queued, goingFirst);
  const queue = { ...taken, queued: await leaveOvertaken(lane, current) };
  return queue.queued.length === 0 ? 'more' : { queue, goingFirst };
}

/** What waits, and of each account before that what goes first. Accounts that were not looked at come last. */
export function letPass(goingFirst: readonly QueuedIntent[], { queued, contracts }: Queue): Queue {
  const numbers = new Set(goingFirst.map(({ number }) => number));
  const left = Map.groupBy(goingFirst, ({ accountId }) => accountId);
  const inTurn = queued.flatMap((intent) => {
    const first = left.get(intent.accountId) ?? [];
    left.delete(intent.accountId);
    return numbers.has(intent.number) ? first : [...first, intent];
  });
  return { queued: [...inTurn, ...[...left.values()].flat()], contracts };
}

/**
 * The intents of one Operator and its epoch, for a transaction has one of each. An intent of an earlier epoch goes on
 * in the one that has begun where it may.
 */
async function takeOneEpoch(
  lane: Lane,
  taken: readonly QueuedIntent[],
  goingFirst: readonly QueuedIntent[],
): Promise<QueuedIntent[]> {
  const { operator } = taken[0]!;
  const ofOne = taken.filter((intent) => intent.operator === operator);
  const stale = ofOne.filter(({ isStale }) => isStale);
  if (stale.length === 0) return ofOne;
  await moveStale(lane, stale);
  return leaveStale(ofOne, goingFirst);
}

/**
 * Without intents of an earlier epoch, and without the others of their contracts. What goes first waits for what goes
 * first alone: the rest may wait for a person.
 */
export function leaveStale(
  intents: readonly QueuedIntent[],
  goingFirst: readonly QueuedIntent[],
): QueuedIntent[] {
  const numbers = new Set(goingFirst.map(({ number }) => number));
  const isAhead = ({ number }: QueuedIntent): boolean => numbers.has(number);
  const stale = intents.filter(({ isStale }) => isStale);
  const all = new Set(stale.map(({ contract }) => contract));
  const ofAhead = new Set(stale.filter(isAhead).map(({ contract }) => contract));
  return intents.filter((intent) => !(isAhead(intent) ? ofAhead : all).has(intent.contract));
}

/**
 * Contracts of which nothing is queued, and which are in the way: there are many of them, or they may be all that an
 * account has in its share of each look, while others wait behind them.
 */
export function findDrained({ contracts }: Pick<Queue, 'contracts'>): Hex[] {
  const drained = contracts.filter(({ hasQueued }) => !hasQueued);
  if (drained.length >= MANY_DRAINED) return drained.map(({ contract }) => contract);
  const shares = Map.groupBy(contracts, ({ accountId }) => accountId);
  return [...shares.values()]
    .filter((share) => share.length >= MIN_SHARE && share.every(({ hasQueued }) => !hasQueued))
    .flatMap((share) => share.map(({ contract }) => contract));
}

/** What became of a batch. */
interface SentBatch {
  transaction: Transaction | null;
  sent: readonly ReadyCall[];
  /** What did not succeed in the simulation, and has no verdict yet. */
  refused: readonly RefusedCall[];
  offer: GasOffer;
  /** Whether something was to be sent. What was tried and not sent left the queue, or waits for the cooldown. */
  isTried: boolean;
}

/** @param bid null while gas costs more than may be bid: then nothing is sent */
async function sendBatch(
  lane: Lane,
  calls: readonly PlannedCall[],
  bid: AffordableBid | null,
): Promise<SentBatch> {
  const { config } = lane;
  const maxGas = maxTransactionGas(lane.latest.block.gasLimit, config.profile.maxTransactionGas);
  const offer = { maxGas, fees: await findSimulatedFees(lane, calls, { maxGas, bid }) };
  const results = await config.observe.step({ name: 'simulate' }, () => simulate(lane, calls, offer));
  config.reach('simulated');
  if (results.every((result) => result === null)) {
    // Perhaps not even the first call can be paid for: it waits, and lets others pass that may need less.
    await checkFunds(lane);
    return { transaction: null, sent: [], refused: [], offer, isTried: false };
  }
  const { ready, refused } = sortSimulated(lane, calls, results);
  const isTried = bid !== null && ready.length > 0;
  const stored = isTried ? await sendCalls(lane, ready, bid.fees, maxGas) : null;
  return {
    transaction: stored?.transaction ?? null,
    sent: stored?.calls ?? [],
    ...{ refused, offer, isTried },
  };
}

/**
 * What waits of a contract, and was asked before a brake of it that was sent, would not be simulated as it comes: after
 * that.
 */
function holdBehind(
  { blocked }: Lane,
  { transaction, sent }: SentBatch,
  goingFirst: readonly QueuedIntent[],
): void {
  const passing = new Set(goingFirst.map(({ number }) => number));
  for (const { intent } of sent)
    if (passing.has(intent.number))
      blocked.blockUntil(intent.contract, [{ transaction: transaction!, used: null }]);
}

/**
 * Settles what was refused, and lets the contracts wait whose turn has not come. Returns how many calls were settled.
 * @param before what was in flight before the simulation
 */
async function settleRemaining(
  lane: Lane,
  { refused, offer, transaction }: SentBatch,
  before: readonly Snapshot[],
): Promise<number> {
  const { decided, premature } = await settleRefused(lane, refused, offer);
  const inFlight = transaction ? [...before, { transaction, used: null }] : before;
  for (const [contract, cause] of premature) {
    const changes = inFlight.filter((snapshot) => hasCallOf(snapshot.transaction, contract));
    // Bytes that the lane does not hold in memory bring no change that it would see.
    if (changes.length === 0 && cause === 'out-of-sight') lane.blocked.coolDown(contract);
    else lane.blocked.blockUntil(contract, changes);
  }
  return decided;
}
