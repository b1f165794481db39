import type { Hex } from '../../lib/hex.ts';
import type { Rpc } from '../rpc/rpc.ts';
import type { Signer } from '../signing/signer.ts';

const RECEIPT_LOOK_MS = 100;
const RECEIPT_LOOKS = 1_800;

/** Milliseconds after which a transaction without a receipt is given up. */
export const SEND_TIMEOUT_MS = RECEIPT_LOOKS * RECEIPT_LOOK_MS;

/**
 * Sends one transaction of preparation or administration and waits for its receipt.
 * @param leastNonce its nonce is at least this, whatever the chain has counted so far
 * @throws Error with one sentence when it reverts, or is not mined within `SEND_TIMEOUT_MS`.
 */
export async function sendAndWait(
  { rpc, chainId }: { rpc: Rpc; chainId: bigint },
  signer: Signer,
  { to, data }: { to: Hex; data: Hex },
  leastNonce = 0n,
): Promise<{ hash: Hex; nonce: bigint }> {
  const [count, gas, block, tip] = await Promise.all([
    rpc.call<Hex>('eth_getTransactionCount', [signer.address, 'pending']),
    rpc.call<Hex>('eth_estimateGas', [{ from: signer.address, to, data }]),
    rpc.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false]),
    rpc.call<Hex>('eth_maxPriorityFeePerGas', []),
  ]);
  const nonce = BigInt(count) > leastNonce ? BigInt(count) : leastNonce;
  const { raw, hash } = await signer.sign({
    chainId,
    nonce,
    to,
    data,
    gasLimit: (BigInt(gas) * 12n) / 10n,
    maxFeePerGas: 2n * BigInt(block.baseFeePerGas) + BigInt(tip),
    maxPriorityFeePerGas: BigInt(tip),
  });
  await rpc.call('eth_sendRawTransaction', [raw]);
  for (let look = 0; look < RECEIPT_LOOKS; look += 1) {
    const receipt = await rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt) {
      if (BigInt(receipt.status) === 1n) return { hash, nonce };
      throw new Error(`The transaction ${hash} was reverted`);
    }
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_LOOK_MS));
  }
  throw new Error(`The transaction ${hash} was not mined within three minutes`);
}
