import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { isDone, settleAlreadyDone } from '../settle/already-done.ts';
import { OVERTAKEN } from '../settle/finished.ts';
import { failInTurn } from '../settle/verdict.ts';
import type { Cursor } from '../store/follower.ts';
import { findOvertakenBy } from '../store/overtaken.ts';
import type { QueuedIntent } from '../store/queue.ts';

/**
 * Leaves out what came back after it was sent, and what is behind it in its contract, while a later one of its contract
 * is on its way: a control that goes behind the one that undoes it would undo that one. When the later one fails, it goes;
 * once that one is done for good, it fails.
 */
export async function leaveOvertaken(lane: Lane, queued: readonly QueuedIntent[]): Promise<QueuedIntent[]> {
  const returned = queued.filter(({ mayBeOvertaken }) => mayBeOvertaken);
  if (returned.length === 0) return [...queued];
  // Before it is asked what they are: a change in between is looked at again.
  const before = lane.inFlight.snapshot();
  const overtaken = await findOvertakenBy(
    lane.db,
    returned.map(({ number }) => number),
  );
  const cursor = [...overtaken.values()].includes('done') ? await lane.chain.fresh() : null;
  const ended = new Set<bigint>();
  const held = new Map<Hex, bigint>();
  for (const intent of returned) {
    const { number, contract } = intent;
    const by = overtaken.get(number);
    if (!by || held.has(contract)) continue;
    if (by === 'done' && cursor && (await settleOvertaken(lane, cursor, intent))) ended.add(number);
    else held.set(contract, number);
  }
  for (const contract of held.keys()) {
    const changes = before.filter(({ transaction }) => hasCallOf(transaction, contract));
    if (changes.length > 0) lane.blocked.blockUntil(contract, changes);
    else lane.blocked.coolDown(contract);
  }
  return queued.filter(({ number, contract }) => {
    const from = held.get(contract);
    return !ended.has(number) && (from === undefined || number < from);
  });
}

/** Returns whether it has its verdict now. */
async function settleOvertaken(lane: Lane, cursor: Cursor, intent: QueuedIntent): Promise<boolean> {
  const { number } = intent;
  const done = await isDoneForGood(lane, cursor, intent);
  if (done === null) return false;
  if (!done) return failInTurn(lane, { number, error: OVERTAKEN, transactionHash: null });
  // The event was missed when it was sent.
  return settleAlreadyDone(lane, intent);
}

/** Whether the Operator has done it, for good; null when nobody can tell. */
async function isDoneForGood({ rpc }: Lane, cursor: Cursor, intent: QueuedIntent): Promise<boolean | null> {
  try {
    return await isDone(rpc, cursor, intent);
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
