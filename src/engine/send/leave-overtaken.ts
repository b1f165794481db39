import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { Hex } from '../../lib/hex.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { settleAlreadyDone } from '../settle/already-done.ts';
import { failInTurn } from '../settle/verdict.ts';
import type { Cursor } from '../store/follower.ts';
import { findLaterInDoubt, findOvertakenBy } from '../store/overtaken.ts';
import type { NumberedCall, QueuedIntent } from '../store/queue.ts';

/** Error of a call that would be done after a later one of its contract. */
const OVERTAKEN = {
  code: 'CHAIN_ERROR',
  message:
    'It had no effect, and a later request for this contract is done already; ask again if it is still wanted',
} as const;

/**
 * Leaves out what came back after it was sent, and what is behind it in its contract, while a later one of its contract
 * is on its way: a control that goes behind the one that undoes it would undo that one. When the later one fails, it goes;
 * once that one is done for good, it fails. The same holds while the Operator has done a later one in a transaction that is
 * not found, though that one is in the queue.
 */
export async function leaveOvertaken(lane: Lane, queued: readonly QueuedIntent[]): Promise<QueuedIntent[]> {
  const returned = queued.filter(({ mayBeOvertaken }) => mayBeOvertaken);
  if (returned.length === 0) return [...queued];
  // Before it is asked what they are: a change in between is looked at again.
  const before = lane.inFlight.snapshot();
  const numbers = returned.map(({ number }) => number);
  const overtaken = await findOvertakenBy(lane.db, numbers);
  const inDoubt = await findLaterInDoubt(lane.db, numbers);
  const past = returned.filter(({ number }) => overtaken.get(number) === 'done');
  const asked = [...past, ...inDoubt];
  const look = asked.length > 0 ? await readDone(lane, asked) : null;
  const late = await settleLate(lane, look, inDoubt);
  const ended = new Set<bigint>();
  const held = new Map<Hex, bigint>();
  for (const intent of returned) {
    const { number, contract } = intent;
    const isLate = number < (late.get(contract) ?? 0n);
    if (!(overtaken.has(number) || isLate) || held.has(contract)) continue;
    if (look && past.includes(intent) && (await settleOvertaken(lane, look, intent))) ended.add(number);
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

/** Which of some intents the Operator has done, as the chain was found. */
interface Look {
  cursor: Cursor;
  done: ReadonlySet<bigint>;
}

/**
 * One look at the chain for all of these intents; null when nobody can tell. It is asked at the head, for what is done
 * there fails no more than what is done for good.
 */
async function readDone({ chain, rpc }: Lane, intents: readonly NumberedCall[]): Promise<Look | null> {
  const cursor = await chain.fresh();
  if (!cursor) return null;
  const readGroup = (group: readonly NumberedCall[]): Promise<Set<bigint>> => {
    const numbers = group.map(({ number }) => number);
    return readDoneIntents(rpc, group[0]!, numbers, { blockHash: cursor.head.hash });
  };
  try {
    const done = await Promise.all(groupByEpoch(intents).map(readGroup));
    return { cursor, done: new Set(done.flatMap((numbers) => [...numbers])) };
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}

/**
 * Settles those of these queued intents that the Operator has done: they wait for nothing in front of them. Returns the last of
 * each contract that is done, or may be when nobody can tell.
 */
async function settleLate(
  lane: Lane,
  look: Look | null,
  inDoubt: readonly NumberedCall[],
): Promise<Map<Hex, bigint>> {
  const late = new Map<Hex, bigint>();
  for (const intent of inDoubt) {
    if (look && !look.done.has(intent.number)) continue;
    late.set(intent.contract, intent.number);
    if (look) await settleAlreadyDone(lane, look.cursor, intent);
  }
  return late;
}

/** Returns whether it has its verdict now. */
async function settleOvertaken(lane: Lane, { cursor, done }: Look, intent: QueuedIntent): Promise<boolean> {
  const { number } = intent;
  // Its event was missed when it was sent.
  if (done.has(number)) return settleAlreadyDone(lane, cursor, intent);
  return failInTurn(lane, cursor, { number, error: OVERTAKEN, transactionHash: null });
}
