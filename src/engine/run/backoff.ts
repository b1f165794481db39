import { setTimeout as sleep } from 'node:timers/promises';
import { RpcRefused, RpcUnreachable } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { LaneParts } from '../lane/lane.ts';

/** What a lane is run with. */
export interface RunParts extends LaneParts {
  rpc: Pick<Rpc, 'call' | 'callEach' | 'unreachableForMs'>;
  /** Name of this process, the same for all of its lanes. */
  holder: string;
}

/**
 * Lets a loop of the lane take a turn; an endpoint that fails it costs a pause, and not the lane. Returns whether the turn
 * was taken.
 */
export async function withBackoff(parts: RunParts, turn: () => Promise<void>): Promise<boolean> {
  try {
    await turn();
    return true;
  } catch (error) {
    // Whether a write of the database happened is unknown after its error: only taking the lane again tells.
    if (!(error instanceof RpcUnreachable || error instanceof RpcRefused)) throw error;
    parts.log.warn({ error: String(error) }, 'an endpoint failed the lane, which goes on after a pause');
    await sleep(parts.config.timings.backoffMs);
    return false;
  }
}
