import type { Hex } from '../../lib/hex.ts';
import { resendOpen } from '../lane/broadcast.ts';
import type { Lane } from '../lane/lane.ts';
import { replaceStuck } from '../send/replacement.ts';
import type { StuckWatch } from '../send/replacement.ts';
import { confirm } from '../settle/confirm.ts';
import { requeueNoncesLost } from '../settle/nonce-taken.ts';

/** What `followChain` keeps from one look to the next. */
export interface ChainWatch extends StuckWatch {
  /** The newest block whose receipts were looked at, and when that was, in milliseconds. */
  last: { block: Hex; at: number };
  /** When everything open was sent the last time, in milliseconds. */
  sentAt: number;
}

export const createChainWatch = (): ChainWatch => ({
  last: { block: '0x', at: 0 },
  sentAt: Date.now(),
  waiting: null,
});

/**
 * One look at the chain: settles what the receipts say, bids more for what is stuck, and sends again what may have been
 * lost. Returns whether something was settled.
 */
export async function followChain(lane: Lane, watch: ChainWatch): Promise<boolean> {
  const look = await confirm(lane, watch.last);
  if (!look) return false;
  const { head, at, moved } = look;
  if (head.hash !== watch.last.block) await replaceStuck(lane, watch, head);
  watch.last = { block: head.hash, at };
  if (moved || lane.inFlight.open().length === 0) {
    watch.sentAt = at;
  } else if (at - watch.sentAt > lane.config.timings.resendMs) {
    watch.sentAt = at;
    await resendOpen(lane);
    // By time as well: where each transaction makes its block, none comes after one that lost its nonce.
    await requeueNoncesLost(lane);
  }
  return moved;
}
