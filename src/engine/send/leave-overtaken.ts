import { unlessRefused } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import { hasCallOf } from '../lane/lane.ts';
import type { Lane } from '../lane/lane.ts';
import { settleAlreadyDone } from './already-done.ts';
import { failUnlessPremature } from '../verdict/verdict.ts';
import { findCall, findLaterMaybeDone, findOvertakenBy } from '../store/overtaken.ts';
import type { LaterIntent } from '../store/overtaken.ts';
import type { QueuedIntent } from '../store/queue.ts';

/** Error of a call that would be done after a later one of its contract. */
const OVERTAKEN = {
  code: 'CHAIN_ERROR',
  message:
    'It was overtaken by a later request for this contract, and had no effect; ask again if it is still wanted',
} as const;

/** So much is settled at one look: each may take some questions to the chain, and everybody else waits for it. */
const MAX_SETTLED = 2;

/**
 * Leaves out what came back after it was sent, and what is behind it in its contract, while a later one of its contract
 * is on its way: a control that goes behind the one that undoes it would undo that one. When the later one fails, it
 * goes; once that one is done for good, it fails. The same holds while the Operator has done a later one in a
 * transaction that is not found, though that one is in the queue.
 */
export async function leaveOvertaken(lane: Lane, queued: readonly QueuedIntent[]): Promise<QueuedIntent[]> {
  const returned = queued.filter(({ mayBeOvertaken }) => mayBeOvertaken);
  if (returned.length === 0) return [...queued];
  // Before it is asked what they are: a change in between is looked at again.
  const before = lane.inFlight.snapshot();
  const numbers = returned.map(({ number }) => number);
  const overtaken = await findOvertakenBy(lane.db, numbers);
  const maybeDone = await findLaterMaybeDone(lane.db, numbers);
  const past = returned.filter(({ number }) => overtaken.get(number) === 'done');
  const asked = [...past, ...maybeDone];
  const look = asked.length > 0 ? await readDone(lane, asked) : null;
  const laterDone = maybeDone.filter(({ number }) => !look || look.done.has(number));
  const lastDone = new Map(laterDone.map(({ contract, number }) => [contract, number]));
  const settling = createSettling();
  const decided = new Set<bigint>();
  const keptBack = new Map<Hex, bigint>();
  for (const intent of returned) {
    const { number, contract } = intent;
    const isTooLate = number < (lastDone.get(contract) ?? 0n);
    if (!(overtaken.has(number) || isTooLate) || keptBack.has(contract)) continue;
    const isPast = look && past.includes(intent);
    if (isPast && (await settling.settle(contract, () => settleOvertaken(lane, look, intent))))
      decided.add(number);
    else keptBack.set(contract, number);
  }
  if (look) {
    const waitedFor = laterDone.filter(({ contract }) => keptBack.has(contract));
    await settleLaterDone(lane, look, settling, waitedFor);
  }
  for (const contract of keptBack.keys()) {
    if (settling.goesOn(contract)) continue;
    const changes = before.filter(({ transaction }) => hasCallOf(transaction, contract));
    if (changes.length > 0) lane.blocked.blockUntil(contract, changes);
    else lane.blocked.coolDown(contract);
  }
  return queued.filter(({ number, contract }) => {
    const from = keptBack.get(contract);
    return !decided.has(number) && (from === undefined || number < from);
  });
}

/** What one look settles, and what it leaves to the next one. */
interface Settling {
  /** Returns whether there is a verdict now; `work` is not done when the look has settled enough. */
  settle(contract: Hex, work: () => Promise<boolean>): Promise<boolean>;
  /**
   * Whether the next look goes on with this contract at once: it has more to settle, and nothing of it came to nothing.
   */
  goesOn(contract: Hex): boolean;
}

function createSettling(): Settling {
  let left = MAX_SETTLED;
  const postponed = new Set<Hex>();
  const inVain = new Set<Hex>();
  return {
    settle: async (contract, work) => {
      if (left === 0) {
        postponed.add(contract);
        return false;
      }
      left -= 1;
      const hasVerdict = await work();
      if (!hasVerdict) inVain.add(contract);
      return hasVerdict;
    },
    goesOn: (contract) => postponed.has(contract) && !inVain.has(contract),
  };
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
async function readDone({ chain, rpc }: Lane, intents: readonly LaterIntent[]): Promise<Look | null> {
  const cursor = await chain.fresh();
  if (!cursor) return null;
  const readGroup = (group: readonly LaterIntent[]): Promise<Set<bigint>> => {
    const numbers = group.map(({ number }) => number);
    return readDoneIntents(rpc, group[0]!, numbers, { blockHash: cursor.head.hash });
  };
  const done = await unlessRefused(Promise.all(groupByEpoch(intents).map(readGroup)));
  return done && { cursor, done: new Set(done.flatMap((numbers) => [...numbers])) };
}

/**
 * Settles queued intents that the Operator has done: they wait for nothing in front of them. A look goes on behind the
 * last one that was looked for: one that cannot be found keeps no other from that.
 */
async function settleLaterDone(
  lane: Lane,
  { cursor }: Look,
  settling: Settling,
  laterDone: readonly LaterIntent[],
): Promise<void> {
  const { last } = lane.laterDone;
  const inTurn = [
    ...laterDone.filter(({ number }) => number > last),
    ...laterDone.filter(({ number }) => number <= last),
  ];
  for (const intent of inTurn)
    await settling.settle(intent.contract, async () => {
      lane.laterDone.last = intent.number;
      const call = await findCall(lane.db, intent);
      return !call || settleAlreadyDone(lane, cursor, call);
    });
}

/** Returns whether it has its verdict now. */
async function settleOvertaken(lane: Lane, { cursor, done }: Look, intent: QueuedIntent): Promise<boolean> {
  const { number } = intent;
  // Its event was missed when it was sent.
  if (done.has(number)) return settleAlreadyDone(lane, cursor, intent);
  return failUnlessPremature(lane, cursor, { number, error: OVERTAKEN, transactionHash: null });
}
