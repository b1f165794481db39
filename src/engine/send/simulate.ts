import type { CallResult, OperatorCall } from '../../chain/abi/execution.ts';
import { decodeExecution, encodeExecution } from '../../chain/abi/execution.ts';
import { isInsufficientGas } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import type { QueuedIntent } from '../store/queue.ts';
import type { Fees } from '../store/transactions.ts';
import type { PlannedCall } from './batch.ts';
import { gasLimitOf } from './gas.ts';

export const toOperatorCall = (
  { number, target, data }: Pick<QueuedIntent, 'number' | 'target' | 'data'>,
  gasCap: number,
): OperatorCall => ({ target, gasCap, intent: number, data });

/** What nodes say when the signer cannot pay for a transaction, or bids less than the block asks for (geth, anvil, Hardhat). */
const UNPAID = /insufficient funds|doesn't have enough funds|less than block base fee|baseFeePerGas/i;

/**
 * One eth_call for the batch, with the caps, the fees and the gas limit that it would be sent with; null for an intent
 * that the batch left no gas for, or that the signer cannot pay for.
 */
export async function simulate(
  lane: Lane,
  calls: readonly Pick<PlannedCall, 'intent' | 'gasCap'>[],
  { maxGas, fees, block = 'latest' }: { maxGas: number; fees: Fees; block?: string },
): Promise<(CallResult | null)[]> {
  const data = encodeExecution(calls.map(({ intent, gasCap }) => toOperatorCall(intent, gasCap)));
  const { rpc, key, config } = lane;
  const call = {
    from: key.signer,
    to: config.operator,
    data,
    gas: toQuantity(Math.min(maxGas, gasLimitOf(calls))),
    maxFeePerGas: toQuantity(fees.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(fees.maxPriorityFeePerGas),
  };
  try {
    return decodeExecution(await rpc.call<Hex>('eth_call', [call, block]));
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    const isUnpaid = error.data === undefined && UNPAID.test(error.message);
    if (!isUnpaid && (!isInsufficientGas(error.data) || calls.length === 1)) throw error;
    if (calls.length === 1) return [null];
    // Half of the calls may find enough; the others wait for their turn.
    const half = calls.slice(0, Math.ceil(calls.length / 2));
    const results = await simulate(lane, half, { maxGas, fees, block });
    return [...results, ...calls.slice(half.length).map(() => null)];
  }
}

const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
