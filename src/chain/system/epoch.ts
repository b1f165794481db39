import type { StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import { EPOCH } from '../abi/operator.ts';
import type { Rpc } from '../rpc/rpc.ts';

/**
 * The epoch whose batches an Operator runs, at a block; null where there is no such contract. @throws what `Rpc.call`
 * throws
 */
export async function readEpoch(
  rpc: Pick<Rpc, 'call'>,
  operator: Hex,
  block: StateBlock,
): Promise<bigint | null> {
  const answer = await rpc.call<Hex>('eth_call', [{ to: operator, data: EPOCH.data }, block]);
  return answer === '0x' ? null : EPOCH.decode(answer);
}
