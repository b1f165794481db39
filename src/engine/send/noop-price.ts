import { goodFees } from '../../chain/fees.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { readMarket } from './bid.ts';

/** Gas of a transfer without data (EIP-2028); chains that count L1 data as gas say more when they are asked. */
const TRANSFER_GAS = 21_000n;

/** What a no-op may use, and a bid that blocks take. */
export interface NoopPrice {
  gasLimit: bigint;
  fees: Fees;
}

export const findNoopPrice = async (lane: Lane): Promise<NoopPrice> => ({
  gasLimit: await transferGas(lane),
  fees: await currentFees(lane),
});

/** Beyond the profile's highest fee if it must be: what frees a nonce is worth it. */
export async function currentFees(lane: Lane): Promise<Fees> {
  await lane.head.refresh(lane.config.timings.headFreshMs);
  return goodFees(await readMarket(lane), lane.config.profile.feeModel);
}

/** By the rules of the chain when no endpoint estimates it; what is not used costs nothing. */
async function transferGas({ rpc, key, config, l1 }: Lane): Promise<bigint> {
  const least = TRANSFER_GAS + BigInt(l1.gas(0));
  const transfer = { from: key.signer, to: key.signer };
  const estimate = await rpc.call<Hex>('eth_estimateGas', [transfer]).catch((error: unknown) => {
    if (error instanceof RpcRefused) return null;
    throw error;
  });
  if (estimate === null) return least;
  const gas = (BigInt(estimate) * 5n) / 4n;
  return gas > TRANSFER_GAS && gas < config.profile.maxTransactionGas ? gas : TRANSFER_GAS;
}
