import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused, hasMovedOn, isResting, letGo, mayClaim, startRest } from '../lane/rest.ts';
import { claimContracts } from '../store/contract-lanes.ts';
import { findQueued } from '../store/queue.ts';
import type { QueuedIntent } from '../store/queue.ts';
import { adoptEpoch } from './adopt-epoch.ts';
import { fillBatch, fitGas, roomInBlock } from './batch.ts';
import { findAffordableBid } from './bid.ts';
import { maxTransactionGas } from './gas.ts';
import { gasLimitOf, sendCalls } from './send-calls.ts';
import { simulate } from './simulate.ts';
import { sortSimulated } from './sort-simulated.ts';

/** A batch takes at most this part of a block, so that it finds room next to others. */
const BLOCK_PART = 12n;
/** Queued intents that are looked at for one batch. */
const QUEUE_LOOK = 500;

/** `all`: something was done with all that was queued; `more`: there is more to do at once. */
export type Dispatched = 'nothing' | 'all' | 'more';

/** Takes queued intents, simulates them in one eth_call, stores the signed transaction, and only then broadcasts it. */
export async function dispatch(lane: Lane): Promise<Dispatched> {
  const { config, head, inFlight, gasMemory } = lane;
  const rests = await isResting(lane);
  if (!mayClaim(lane)) await letGo(lane);
  if (rests || inFlight.open().length >= config.maxInFlight) return 'nothing';
  const taken = await takeQueued(lane);
  if (taken.length === 0) return 'nothing';
  const queued = await keepNewestEpoch(lane, taken);
  if (queued.length === 0) return 'more';
  await head.refresh(config.timings.headFreshMs);
  const { gasLimit } = head.newest;
  const { maxBatch, profile } = config;
  const targetGas = Math.min(
    maxTransactionGas(gasLimit, profile.maxTransactionGas),
    Number(gasLimit / BLOCK_PART),
  );
  const batch = fillBatch(queued, { targetGas, maxBatch, maxBytes: profile.maxCalldataBytes, gasMemory });
  if (batch.length === 0) return 'nothing';

  const step = { name: 'dispatch', details: { signer: lane.key.signer, calls: batch.length } };
  try {
    const { sent, decided } = await config.observe.step(step, () => sendBatch(lane, batch));
    if (sent === 0 && decided === 0) return 'nothing';
    return sent === queued.length ? 'all' : 'more';
  } catch (error) {
    if (!(error instanceof ExecutionRefused)) throw error;
    return yieldTo(lane, batch, error);
  }
}

/** The Operator executes nothing of the batch: it goes on in the epoch that has begun, or the lane rests. */
async function yieldTo(
  lane: Lane,
  batch: readonly QueuedIntent[],
  refused: ExecutionRefused,
): Promise<Dispatched> {
  const { refusal, at } = refused;
  if (refusal.reason === 'wrong-epoch' && hasMovedOn(refusal, at)) {
    await adoptEpoch(lane, batch, refusal.current);
    return 'more';
  }
  await startRest(lane, refused);
  return 'nothing';
}

/**
 * Those of one Operator and the newest epoch of it, for a slot has one of each. An epoch is newer only once the chain has
 * said so: what belongs to an earlier one goes on in it where it may, and all of its contract waits for that.
 */
async function keepNewestEpoch(lane: Lane, taken: readonly QueuedIntent[]): Promise<QueuedIntent[]> {
  const { operator } = taken[0]!;
  const ofOne = taken.filter((intent) => intent.operator === operator);
  const newest = ofOne.reduce((most, { epoch }) => (epoch > most ? epoch : most), 0n);
  const stale = ofOne.filter(({ epoch }) => epoch < newest);
  if (stale.length === 0) return ofOne;
  await adoptEpoch(lane, stale, newest);
  const waiting = new Set(stale.map(({ contract }) => contract));
  return ofOne.filter(({ contract }) => !waiting.has(contract));
}

/** Queued intents of contracts that are this lane's, or become it now. */
async function takeQueued(lane: Lane): Promise<QueuedIntent[]> {
  const queued = await findQueued(lane.db, lane.key.signer, {
    excluded: lane.blocked.find(),
    limit: QUEUE_LOOK,
  });
  const unassigned = [...new Set(queued.filter(({ assigned }) => !assigned).map(({ contract }) => contract))];
  if (unassigned.length === 0) return queued;
  const claimed = await claimContracts(lane.db, lane.key, unassigned, mayClaim(lane));
  return queued.filter(({ assigned, contract }) => assigned || claimed.has(contract));
}

/** Returns how many intents were to be sent, and how many were decided without being sent. */
async function sendBatch(
  lane: Lane,
  batch: readonly QueuedIntent[],
): Promise<{ sent: number; decided: number }> {
  const { config, blocked, inFlight } = lane;
  const head = lane.head.newest;
  const maxGas = maxTransactionGas(head.gasLimit, config.profile.maxTransactionGas);
  const before = inFlight.snapshot();
  const results = await config.observe.step({ name: 'simulate' }, () => simulate(lane, batch, { maxGas }));
  config.reach('simulated');
  const { ready, decided, premature } = await sortSimulated(lane, batch, results, maxGas);
  const bid = ready.length > 0 ? await findAffordableBid(lane) : null;
  const room = roomInBlock(lane.head.newest.gasLimit, inFlight.open());
  const fitting = bid
    ? fitGas(ready, Math.min(maxGas, room, bid.maxGas), (calls) => gasLimitOf(lane, calls))
    : [];
  const transaction = bid && fitting.length > 0 ? await sendCalls(lane, fitting, bid.fees, maxGas) : null;
  const ahead = transaction ? [...before, { transaction, mined: null }] : before;
  for (const contract of premature) {
    blocked.blockUntil(
      contract,
      ahead.filter((snapshot) => hasCallOf(snapshot.transaction, contract)),
    );
  }
  return { sent: fitting.length, decided };
}
