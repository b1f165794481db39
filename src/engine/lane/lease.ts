import type { Hex } from '../../lib/hex.ts';
import { repeat } from '../../lib/repeat.ts';
import { endLease, isLaneHeld, renewLease, takeLane } from '../store/lanes.ts';
import type { NonceOnChain } from '../store/lanes.ts';
import { openLane } from './lane.ts';
import type { Lane, LaneParts } from './lane.ts';
import type { EngineTimings } from '../config.ts';

/** Thrown when what this process knows of the lane may be stale: it has to take the lane again and recover. */
export class LaneLost extends Error {
  override readonly name: string = 'LaneLost';
  constructor(message = 'another process holds the lane of this signer') {
    super(message);
  }
}

/** Thrown when a loop of the lane makes no progress, or no endpoint answers: another process may succeed. */
export class LaneStalled extends LaneLost {
  override readonly name = 'LaneStalled';
}

/** Once may be a race with the reader of the chain. */
const MAX_UNSTORED = 2;

/**
 * Takes the lane of a signer if nobody holds it; null otherwise.
 * @param holder names this process, the same for all of its lanes
 */
export async function acquireLane(parts: LaneParts, holder: string): Promise<Lane | null> {
  const { db, signer, config } = parts;
  // Whoever waits for a lane asks the chain nothing.
  if (await isLaneHeld(db, signer.address)) return null;
  const onChain = await countAtHead(parts);
  const { leaseMs } = config.timings;
  await config.checkDatabase();
  const taken = await takeLane(db, signer.address, { holder, leaseMs, onChain });
  return taken ? openLane(parts, taken) : null;
}

/**
 * At the canonical head. While nobody reads that, an endpoint has to answer all the same: without one the lane is of no
 * use.
 */
async function countAtHead({ rpc, chain, signer }: LaneParts): Promise<NonceOnChain> {
  const cursor = await chain.fresh();
  const block = cursor ? { blockHash: cursor.head.hash } : 'latest';
  const count = await rpc.call<Hex>('eth_getTransactionCount', [signer.address, block]);
  return { nonce: BigInt(count), isAtCanonicalHead: cursor !== null };
}

/** @throws LaneLost */
async function renewLane({ db, key, config, progress }: Lane): Promise<void> {
  const { leaseMs } = config.timings;
  const progressedMs = progress.at === null ? null : performance.now() - progress.at;
  if (!(await renewLease(db, key, { leaseMs, progressedMs }))) throw new LaneLost();
}

/**
 * Takes note that something was sent, mined, taken back or settled. A higher bid is none of these: a lane that does
 * nothing else stands still, and `/ready` says so.
 */
export function noteProgress({ progress }: Pick<Lane, 'progress'>): void {
  progress.at = performance.now();
}

/**
 * Takes note that nothing was stored, though no intent had left the queue. It happens that a transaction was mined
 * meanwhile; when it happens again at once, what this process knows of the lane is not what the database has.
 * @throws LaneLost
 */
export async function noteUnstored(lane: Lane): Promise<void> {
  lane.unstored.inARow += 1;
  if (lane.unstored.inARow >= MAX_UNSTORED) throw new LaneLost('the database stored nothing, time and again');
  await renewLane(lane);
}

/** Something was stored for this nonce. */
export function noteStored({ unstored, config, key }: Lane, nonce: bigint): void {
  unstored.inARow = 0;
  config.commits.noteNextNonce(key.signer, nonce + 1n);
}

/** The loops of a lane. */
export type LaneLoop = 'send' | 'watch';

/**
 * A lease that is kept while all loops of the lane get on. Disposing of it lets another process take the lane at once.
 */
interface KeptLease extends AsyncDisposable {
  /** A loop has done what there was to do: what was to be sent is, and the reader's cursor was read. */
  progressed(loop: LaneLoop): void;
  /** Resolves with the reason when the lease was given up. A loop that got nowhere may never end. */
  givenUp: Promise<LaneStalled>;
}

/**
 * Renews the lease until it is disposed of, as long as no loop has gone without progress for `stallMs`. That is far
 * more than the lease, for a turn may wait for a slow endpoint; a chain without new blocks stops no turn. But when no
 * endpoint has answered for `silentMs`, whether a loop has anything to ask or not, the lease is given up.
 * @param unreachableForMs as `Rpc` says
 */
export function keepLease(lane: Lane, onLost: () => void, unreachableForMs: () => number): KeptLease {
  const { leaseMs } = lane.config.timings;
  const { promise: givenUp, resolve: report } = Promise.withResolvers<LaneStalled>();
  const progressAt: Record<LaneLoop, number> = { send: performance.now(), watch: performance.now() };
  const end = (): Promise<void> => endLease(lane.db, lane.key).catch(() => undefined);
  const renewals = repeat(leaseMs / 3, async () => {
    try {
      const progressedAt = Math.min(progressAt.send, progressAt.watch);
      const reason = findStall(lane.config.timings, progressedAt, unreachableForMs());
      if (reason) {
        renewals.stop();
        onLost();
        await end();
        report(new LaneStalled(reason));
      } else await renewLane(lane);
    } catch (error) {
      if (error instanceof LaneLost) onLost();
    }
  });
  return {
    progressed: (loop) => {
      progressAt[loop] = performance.now();
    },
    givenUp,
    [Symbol.asyncDispose]: async () => {
      // A renewal that came after the end of the lease would keep everybody out of the lane.
      await renewals[Symbol.asyncDispose]();
      await end();
    },
  };
}

/** Why the lease is given up; null when it is not. */
function findStall(
  { stallMs, silentMs }: EngineTimings,
  progressedAt: number,
  unreachableMs: number,
): string | null {
  if (unreachableMs >= silentMs) return 'no endpoint answers: the lane is left to another process';
  if (performance.now() - progressedAt > stallMs)
    return 'the lane got nowhere, and is left to another process';
  return null;
}
