import type { Hex } from '../../lib/hex.ts';
import type { Rpc } from './rpc.ts';

/**
 * When a block was made, in seconds since 1970 by the chain's clock; null when the endpoint does not know the block.
 */
export async function readTimestamp(rpc: Pick<Rpc, 'call'>, hash: Hex): Promise<number | null> {
  const block = await rpc.call<{ timestamp: Hex } | null>('eth_getBlockByHash', [hash, false]);
  return block && Number(block.timestamp);
}
