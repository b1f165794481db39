import type { Cursor } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { RpcRefused } from './rpc.ts';

/**
 * Reads what counts for good: at the final block, or at the head where the node has forgotten the state of that. A
 * reorg may take the head back, so another refusal, which may be gone at the next call, does not let it decide.
 * @throws RpcRefused
 */
export async function readForGood<Answer>(
  { final, head }: Cursor,
  readAt: (blockHash: Hex) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await readAt(final.hash);
  } catch (error) {
    if (!(error instanceof RpcRefused) || error.kind !== 'unavailable') throw error;
    return readAt(head.hash);
  }
}
