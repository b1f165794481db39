import type { CallResult, OperatorCall } from '../../chain/abi/execution.ts';
import { decodeExecution, encodeExecution } from '../../chain/abi/execution.ts';
import { isInsufficientGas, readRefusal } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { ExecutionRefused } from '../lane/rest.ts';
import type { QueuedIntent } from '../store/queue.ts';
import { simulationCap } from './gas.ts';

export const toOperatorCall = (
  { number, target, data }: Pick<QueuedIntent, 'number' | 'target' | 'data'>,
  gasCap: number,
): OperatorCall => ({ target, gasCap, number, data });

/**
 * One eth_call for the batch, all of one Operator and epoch, with the gas of the largest transaction; null for an intent that the batch left no gas for.
 * @throws ExecutionRefused when the Operator executes nothing of this signer, or of this epoch
 */
export async function simulate(
  lane: Lane,
  batch: readonly QueuedIntent[],
  { maxGas, block = 'latest' }: { maxGas: number; block?: 'latest' | { blockHash: Hex } },
): Promise<(CallResult | null)[]> {
  const { operator, epoch } = batch[0]!;
  const data = encodeExecution(
    epoch,
    batch.map((intent) => toOperatorCall(intent, simulationCap(intent, maxGas))),
  );
  const { rpc, key } = lane;
  const call = { from: key.signer, to: operator, data, gas: `0x${maxGas.toString(16)}` };
  try {
    return decodeExecution(await rpc.call<Hex>('eth_call', [call, block]));
  } catch (error) {
    const refusal = error instanceof RpcRefused ? readRefusal(error.data) : null;
    if (refusal) throw new ExecutionRefused(refusal, { operator, epoch });
    if (!(error instanceof RpcRefused) || !isInsufficientGas(error.data) || batch.length === 1) throw error;
    // The calls burnt more than they were guessed to: half of them will find enough, the others wait for their turn.
    const half = batch.slice(0, Math.ceil(batch.length / 2));
    const results = await simulate(lane, half, { maxGas, block });
    return [...results, ...batch.slice(half.length).map(() => null)];
  }
}
