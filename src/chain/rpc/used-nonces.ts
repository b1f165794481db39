import type { Hex } from '../../lib/hex.ts';
import type { Rpc } from './rpc.ts';

/**
 * Nonces that a signer has used by a block, as the endpoint says that counts least: one that counts its pool, by
 * whichever block it is asked, would say of a nonce that is free that it is used for good.
 */
export async function countUsedByAll(
  rpc: Pick<Rpc, 'callEach'>,
  signer: Hex,
  blockHash: Hex,
): Promise<bigint> {
  const counts = await rpc.callEach<Hex>('eth_getTransactionCount', [signer, { blockHash }]);
  return counts.map(BigInt).reduce((least, count) => (count < least ? count : least));
}
