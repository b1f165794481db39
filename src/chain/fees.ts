import type { Fees } from '../lib/fees.ts';
import type { Hex } from '../lib/hex.ts';
import type { ChainProfile } from './profile.ts';
import { RpcRefused } from './rpc/rpc.ts';
import type { Rpc } from './rpc/rpc.ts';
import type { UnsignedTransaction } from './signing/transaction.ts';

/** What blocks take at the moment, wei per gas. */
export interface FeeMarket {
  /** Of the newest block; 0 on a chain that has none. */
  baseFee: bigint;
  /** What the node suggests: the tip, or the whole gas price of a legacy transaction. */
  suggested: bigint;
}

export type FeeModel = ChainProfile['feeModel'];

/** The kind of transaction that every chain of this fee model takes. */
export const transactionType = (feeModel: FeeModel): UnsignedTransaction['type'] =>
  feeModel === 'eip1559' ? 'eip1559' : 'legacy';

/** A bid as the parameters of an `eth_call`; none where gas costs nothing. */
export function bidOfCall(
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  feeModel: FeeModel,
): Record<string, Hex> {
  if (feeModel === 'none') return {};
  const price: Hex = `0x${maxFeePerGas.toString(16)}`;
  if (feeModel === 'legacy') return { gasPrice: price };
  return { maxFeePerGas: price, maxPriorityFeePerGas: `0x${maxPriorityFeePerGas.toString(16)}` };
}

/** Reads what the node suggests, wei per gas; gas that costs nothing needs no call. */
export async function readSuggestedFee(rpc: Pick<Rpc, 'call'>, feeModel: FeeModel): Promise<bigint> {
  if (feeModel === 'none') return 0n;
  if (feeModel === 'legacy') return BigInt(await rpc.call<Hex>('eth_gasPrice', []));
  try {
    return BigInt(await rpc.call<Hex>('eth_maxPriorityFeePerGas', []));
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    // Not every node has that method. This one is older, and tells the base fee and the tip in one (geth).
    const [price, block] = await Promise.all([
      rpc.call<Hex>('eth_gasPrice', []),
      rpc.call<{ baseFeePerGas?: Hex }>('eth_getBlockByNumber', ['latest', false]),
    ]);
    const tip = BigInt(price) - BigInt(block.baseFeePerGas ?? 0);
    return tip > 0n ? tip : 0n;
  }
}

/** The highest base fee that the next block can have: an eighth more (EIP-1559), and at least one wei more. */
export function nextBaseFee(baseFee: bigint): bigint {
  if (baseFee === 0n) return 0n;
  return baseFee + (baseFee / 8n || 1n);
}

/**
 * A good bid. Of EIP-1559: twice the base fee leaves room for six full blocks in a row. A legacy transaction pays all
 * that it bids, so it gets the price that the node suggests, and what the base fee may rise by in one block.
 */
export function goodFees({ baseFee, suggested }: FeeMarket, feeModel: FeeModel): Fees {
  if (feeModel === 'none') return { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  if (feeModel === 'eip1559')
    return { maxFeePerGas: 2n * baseFee + suggested, maxPriorityFeePerGas: suggested };
  const next = nextBaseFee(baseFee);
  const asked = suggested + next - baseFee;
  const price = asked > next ? asked : next;
  return { maxFeePerGas: price, maxPriorityFeePerGas: price };
}
