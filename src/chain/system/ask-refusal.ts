import type { StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { encodeExecution } from '../abi/execution.ts';
import { readRefusal } from '../abi/reverts.ts';
import type { Refusal } from '../abi/reverts.ts';
import { RpcRefused } from '../rpc/rpc.ts';
import type { Rpc } from '../rpc/rpc.ts';

/**
 * Why an Operator would refuse each batch of this signer in this epoch, at a block; null when it would not.
 * @throws what `Rpc.call` throws
 */
export async function askRefusal(
  rpc: Pick<Rpc, 'call'>,
  signer: Hex,
  { operator, epoch }: OperatorEpoch,
  block: StateBlock,
): Promise<Refusal | null> {
  try {
    await rpc.call('eth_call', [{ from: signer, to: operator, data: encodeExecution(epoch, []) }, block]);
    return null;
  } catch (error) {
    const refusal = error instanceof RpcRefused ? readRefusal(error.data) : null;
    if (!refusal) throw error;
    return refusal;
  }
}
