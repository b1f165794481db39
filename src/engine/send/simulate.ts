import type { CallResult } from '../../chain/abi/execution.ts';
import { decodeExecution } from '../../chain/abi/execution.ts';
import { isInsufficientGas, readRefusal } from '../../chain/abi/reverts.ts';
import { bidOfCall } from '../../chain/fees.ts';
import { classifySubmission } from '../../chain/rpc/classify.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { StateBlock } from '../../lib/block-id.ts';
import type { Fees } from '../../lib/fees.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused } from '../lane/pause-operator.ts';
import type { PlannedCall } from './batch.ts';
import { encodeBatch } from './encode-batch.ts';
import { gasLimitOf } from './gas.ts';

/** What calls are simulated with: what they would be sent with, for a receiver can see it. */
export interface Terms {
  /** Gas limit of the largest transaction. */
  maxGas: number;
  fees: Fees;
}

/**
 * One eth_call of the function that would be sent for the batch, all of one Operator and epoch, with the caps, the fees and the gas limit that it would be
 * sent with; null for an intent that the batch left no gas for, or that the signer cannot pay for.
 * @throws ExecutionRefused when the Operator executes nothing of this signer, or of this epoch
 */
export async function simulate(
  lane: Lane,
  calls: readonly PlannedCall[],
  terms: Terms,
  block: StateBlock = 'latest',
): Promise<(CallResult | null)[]> {
  const { operator, epoch } = calls[0]!.intent;
  const { rpc, key, config, l1 } = lane;
  const { calldata, areMints } = encodeBatch(config, calls);
  const gas = Math.min(terms.maxGas, gasLimitOf(l1, calls, areMints));
  const call = {
    from: key.signer,
    to: operator,
    data: calldata,
    gas: `0x${gas.toString(16)}`,
    ...bidOfCall(terms.fees, config.profile.feeModel),
  };
  try {
    return decodeExecution(await rpc.call<Hex>('eth_call', [call, block]));
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    const refusal = readRefusal(error.data);
    if (refusal) throw new ExecutionRefused(refusal, { operator, epoch });
    const isUnpaid = error.data === undefined && classifySubmission(error.message) === 'unpaid';
    if (!isUnpaid && (!isInsufficientGas(error.data) || calls.length === 1)) throw error;
    if (calls.length === 1) return [null];
    // Half of the calls may find enough; the others wait for their turn.
    const half = calls.slice(0, Math.ceil(calls.length / 2));
    const results = await simulate(lane, half, terms, block);
    return [...results, ...calls.slice(half.length).map(() => null)];
  }
}
