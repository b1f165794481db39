import { unlessRefused } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost, noteProgress } from '../lane/lease.ts';
import { settleByEffect, settleInEpoch } from './already-done.ts';
import { moveToEpoch, readEpochState } from '../store/epochs.ts';
import type { Cursor } from '../../lib/block-id.ts';
import { lockLane } from '../store/lanes.ts';
import type { QueuedIntent } from '../store/queue.ts';
import { findEffectsOf } from '../store/unknown-effects.ts';

/**
 * Lets queued intents of an epoch that is over go on in the one that has begun, where that can be no second effect: its
 * raise is in a final block, and in none of the epochs before it their bits are set at the canonical head, or only by
 * other calls. Lost commits may have moved them to any of those, and no fork above that block sets a bit there. The
 * others are left out of the queue for the cooldown.
 * @param stale of one Operator
 * @throws LaneLost
 */
export async function moveStale(lane: Lane, stale: readonly QueuedIntent[]): Promise<void> {
  const { operator } = stale[0]!;
  // In this order: the head is not older than the block in which the epoch began.
  const { epoch, hasBegun } = await readEpochState(lane.db, operator);
  const cursor = hasBegun ? await lane.chain.fresh() : null;
  const doneIn = cursor && (await findDoneIn(lane, cursor, stale, epoch));
  if (!doneIn) return coolDown(lane, stale);
  const free: QueuedIntent[] = [];
  for (const intent of stale) {
    const isDone =
      !(await isFree(lane, cursor, intent, doneIn.get(intent.number) ?? [])) ||
      (await isDoneUnderKey(lane, cursor, intent, epoch));
    if (!isDone) free.push(intent);
    noteProgress(lane);
  }
  const moved = await lane.db.transaction(async (tx) => {
    // Nobody signs for this lane meanwhile.
    if (!(await lockLane(tx, lane.key))) throw new LaneLost();
    const numbers = free.map(({ number }) => number);
    return moveToEpoch(tx, { operator, epoch }, numbers);
  });
  coolDown(
    lane,
    stale.filter(({ number }) => !moved.has(number)),
  );
}

function coolDown({ blocked }: Lane, intents: readonly QueuedIntent[]): void {
  for (const { contract } of intents) blocked.coolDown(contract);
}

/**
 * Whether an intent was done in none of these epochs, in which its bit is set: another call had its number there. One
 * that was is settled, as soon as its event is found.
 */
async function isFree(
  lane: Lane,
  cursor: Cursor,
  intent: QueuedIntent,
  epochs: readonly bigint[],
): Promise<boolean> {
  for (const epoch of epochs)
    if ((await settleInEpoch(lane, cursor, { ...intent, epoch })) !== 'another') return false;
  return true;
}

/**
 * Whether a request that the database has lost was this one, of the same client under the same key, and was done. It is
 * settled as soon as that can be read.
 */
async function isDoneUnderKey(
  lane: Lane,
  cursor: Cursor,
  intent: QueuedIntent,
  epoch: bigint,
): Promise<boolean> {
  for (const effect of await findEffectsOf(lane.db, intent, epoch)) {
    const settled = await settleByEffect(lane, cursor, intent, effect);
    if (settled !== 'another') return true;
  }
  return false;
}

/** In which epochs before the one that has begun the bit of each of these intents is set; null when nobody can tell. */
async function findDoneIn(
  { rpc }: Lane,
  { head }: Cursor,
  intents: readonly QueuedIntent[],
  begun: bigint,
): Promise<Map<bigint, bigint[]> | null> {
  const { operator } = intents[0]!;
  const numbers = intents.map(({ number }) => number);
  const before = Array.from({ length: Number(begun) - 1 }, (_, index) => BigInt(index + 1));
  const asked = before.map((epoch) =>
    readDoneIntents(rpc, { operator, epoch }, numbers, { blockHash: head.hash }),
  );
  const done = await unlessRefused(Promise.all(asked));
  if (!done) return null;
  return new Map(
    numbers.map((number) => [number, before.filter((_epoch, index) => done[index]!.has(number))]),
  );
}
