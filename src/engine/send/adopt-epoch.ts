import { EPOCH } from '../../chain/abi/operator.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { readDoneIntents } from '../../chain/system/done-intents.ts';
import type { Hex } from '../../lib/hex.ts';
import { groupByEpoch } from '../../lib/operator-epoch.ts';
import type { Lane } from '../lane/lane.ts';
import { LaneLost } from '../lane/lease.ts';
import { settleAlreadyDone } from '../settle/already-done.ts';
import { raiseEpoch } from '../store/chain-identity.ts';
import { moveToEpoch } from '../store/epochs.ts';
import type { Cursor } from '../store/follower.ts';
import { lockLane } from '../store/lanes.ts';
import type { QueuedIntent } from '../store/queue.ts';

/**
 * Lets queued intents of an epoch that is over go on in the current one, where that can be no second effect: the new
 * epoch has begun in a final block, their bit is unset at the canonical head, and every transaction that they were in
 * is final. No fork above that block sets the bit of an epoch that is over, so what was found done before, and a reorg
 * took back, goes on too. The others are left out of the queue for the cooldown.
 * @param stale of one Operator
 * @throws LaneLost
 */
export async function adoptEpoch(lane: Lane, stale: readonly QueuedIntent[], current: bigint): Promise<void> {
  const { operator } = stale[0]!;
  const cursor = await lane.chain.fresh();
  const seen = cursor && (await readAt(lane, cursor, stale));
  if (!seen || seen.epoch < current) return coolDown(lane, stale);
  await raiseEpoch(lane.db, { operator, epoch: seen.epoch });
  const unmarked = stale.filter(({ number }) => !seen.done.has(number));
  const moved = await lane.db.transaction(async (tx) => {
    // Nobody signs for this lane meanwhile.
    if (!(await lockLane(tx, lane.key))) throw new LaneLost();
    const numbers = unmarked.map(({ number }) => number);
    return moveToEpoch(tx, { operator, epoch: seen.epoch }, numbers);
  });
  coolDown(
    lane,
    unmarked.filter(({ number }) => !moved.has(number)),
  );
  for (const intent of stale) {
    if (seen.done.has(intent.number) && !(await settleAlreadyDone(lane, cursor, intent)))
      coolDown(lane, [intent]);
  }
}

function coolDown({ blocked }: Lane, intents: readonly QueuedIntent[]): void {
  for (const { contract } of intents) blocked.coolDown(contract);
}

/** The Operator's epoch for good, and which of these intents it has done by now; null when nobody can tell. */
async function readAt(
  { rpc }: Lane,
  { final, head }: Cursor,
  intents: readonly QueuedIntent[],
): Promise<{ epoch: bigint; done: Set<bigint> } | null> {
  const { operator } = intents[0]!;
  try {
    const [epoch, ...done] = await Promise.all([
      rpc.call<Hex>('eth_call', [{ to: operator, data: EPOCH.data }, { blockHash: final.hash }]),
      ...groupByEpoch(intents).map((stale) => {
        const numbers = stale.map(({ number }) => number);
        return readDoneIntents(rpc, stale[0]!, numbers, { blockHash: head.hash });
      }),
    ]);
    // The Operator may be newer than the final block.
    if (epoch === '0x') return null;
    return { epoch: EPOCH.decode(epoch), done: new Set(done.flatMap((numbers) => [...numbers])) };
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
