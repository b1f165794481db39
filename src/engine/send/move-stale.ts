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
import type { EarlierEffect } from '../store/unknown-effects.ts';

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
  const numbers = stale.map(({ number }) => number);
  const effects = await findEffectsOf(lane.db, numbers, epoch);
  const isAsked = ({ number }: QueuedIntent): boolean => doneIn.has(number) || effects.has(number);
  const mayBeDone = stale.filter(isAsked);
  const free = stale.filter((intent) => !isAsked(intent)).map(({ number }) => number);
  const until = performance.now() + lane.config.timings.askMs;
  const { askedAt } = lane.search;
  for (const intent of longestAgoFirst(mayBeDone, askedAt)) {
    askedAt.set(intent.number, performance.now());
    const isFree =
      (await isFreeIn(lane, cursor, intent, doneIn.get(intent.number) ?? [])) &&
      (await isFreeOf(lane, cursor, intent, effects.get(intent.number) ?? [], until));
    if (isFree) free.push(intent.number);
    noteProgress(lane);
    // One at least is asked for.
    if (performance.now() >= until) break;
  }
  const moved = await lane.db.transaction(async (tx) => {
    // Nobody signs for this lane meanwhile.
    if (!(await lockLane(tx, lane.key))) throw new LaneLost();
    return moveToEpoch(tx, { operator, epoch }, free);
  });
  for (const number of moved) askedAt.delete(number);
  coolDown(
    lane,
    stale.filter(({ number }) => !moved.has(number)),
  );
}

/** Those that were never asked about come first. */
const longestAgoFirst = (
  intents: readonly QueuedIntent[],
  askedAt: ReadonlyMap<bigint, number>,
): QueuedIntent[] => intents.toSorted((a, b) => (askedAt.get(a.number) ?? 0) - (askedAt.get(b.number) ?? 0));

function coolDown({ blocked }: Lane, intents: readonly QueuedIntent[]): void {
  for (const { contract } of intents) blocked.coolDown(contract);
}

/**
 * Whether an intent was done in none of these epochs, in which its bit is set: another call had its number there. One
 * that was is settled, as soon as its event is found.
 */
async function isFreeIn(
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
 * Whether no effect under the key of this intent is of the same call. One that is settles the intent as soon as it can
 * be read. A thief of a signer writes what he likes under a key that he saw: what was found to be another call is not
 * asked again, so that the end of a long list is reached over several turns.
 */
async function isFreeOf(
  lane: Lane,
  cursor: Cursor,
  intent: QueuedIntent,
  effects: readonly EarlierEffect[],
  until: number,
): Promise<boolean> {
  const { ruledOut } = lane.search;
  const nameOf = ({ transactionHash, number }: EarlierEffect): string =>
    `${intent.number} ${transactionHash} ${number}`;
  const left = effects.filter((effect) => !ruledOut.has(nameOf(effect)));
  for (const effect of left) {
    const settled = await settleByEffect(lane, cursor, intent, effect);
    if (settled === 'another') ruledOut.add(nameOf(effect));
    else if (settled !== 'gone') return false;
    if (performance.now() >= until && effect !== left.at(-1)) return false;
  }
  return true;
}

/** The epochs before the one that has begun in which bits of these intents are set; null when nobody can tell. */
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
  const set = before.flatMap((epoch, index) => [...done[index]!].map((number) => ({ epoch, number })));
  const groups = Map.groupBy(set, ({ number }) => number);
  return new Map([...groups].map(([number, bits]) => [number, bits.map(({ epoch }) => epoch)]));
}
