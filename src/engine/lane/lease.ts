import type { Hex } from '../../lib/hex.ts';
import { endLease, renewLease, takeLane } from '../store/lanes.ts';
import { openLane } from './lane.ts';
import type { Lane, LaneParts } from './lane.ts';

/** Thrown when what this process knows of the lane may be stale: it has to take the lane again and recover. */
export class LaneLost extends Error {
  override readonly name = 'LaneLost';
  constructor(message = 'another process holds the lane of this signer') {
    super(message);
  }
}

/**
 * Takes the lane of a signer if nobody holds it; null otherwise.
 * @param holder names this process, the same for all of its lanes
 */
export async function acquireLane(parts: LaneParts, holder: string): Promise<Lane | null> {
  const { db, rpc, signer, config } = parts;
  const count = await rpc.call<Hex>('eth_getTransactionCount', [signer.address, 'latest']);
  const { leaseMs } = config.timings;
  await config.checkDatabase();
  const taken = await takeLane(db, signer.address, { holder, leaseMs, nonceOnChain: BigInt(count) });
  return taken ? openLane(parts, taken.epoch, taken.nextNonce) : null;
}

/** @throws LaneLost */
export async function renewLane({ db, key, config }: Lane): Promise<void> {
  if (!(await renewLease(db, key, config.timings.leaseMs))) throw new LaneLost();
}

/** Renews the lease until it is disposed of, which lets another process take the lane at once. */
export function keepLease(lane: Lane, onLost: () => void): AsyncDisposable {
  let isPending = false;
  let last = Promise.resolve();
  const renew = async (): Promise<void> => {
    isPending = true;
    try {
      await renewLane(lane);
    } catch (error) {
      if (error instanceof LaneLost) onLost();
    } finally {
      isPending = false;
    }
  };
  const timer = setInterval(() => {
    if (!isPending) last = renew();
  }, lane.config.timings.leaseMs / 3);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      // A renewal that came after the end of the lease would keep everybody out of the lane.
      await last;
      await endLease(lane.db, lane.key).catch(() => undefined);
    },
  };
}
