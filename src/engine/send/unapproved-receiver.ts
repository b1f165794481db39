import { approvedView } from '../../chain/abi/bounds.ts';
import type { CallResult } from '../../chain/abi/execution.ts';
import { readMint, runsReceiver } from '../../chain/abi/mint.ts';
import { readUnapproved } from '../../chain/abi/reverts.ts';
import { TOKEN_STATE } from '../../chain/abi/token.ts';
import type { View } from '../../chain/abi/view.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import type { QueuedIntent } from '../store/queue.ts';

/**
 * Whether a mint of an NFT reverted since the token takes no receiver that is not approved. The receiver may revert with the
 * same words, and is not believed: the token is asked, at this block. False too when no endpoint answers for it.
 */
export async function isUnapprovedReceiver(
  { rpc }: Pick<Lane, 'rpc'>,
  { target, data }: Pick<QueuedIntent, 'target' | 'data'>,
  { returnData }: CallResult,
  blockHash: Hex,
): Promise<boolean> {
  if (!runsReceiver(data)) return false;
  const account = readUnapproved(returnData);
  if (account === null || account !== readMint(data)?.to) return false;
  const read = async <Answer>(view: View<Answer>): Promise<Answer> =>
    view.decode(await rpc.call<Hex>('eth_call', [{ to: target, data: view.data }, { blockHash }]));
  try {
    const [{ permissioned }, isApproved] = await Promise.all([
      read(TOKEN_STATE),
      read(approvedView(account)),
    ]);
    return permissioned && !isApproved;
  } catch (error) {
    if (error instanceof RpcRefused) return false;
    throw error;
  }
}
