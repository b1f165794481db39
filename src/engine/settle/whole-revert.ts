import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Lane } from '../lane/lane.ts';
import { askOperator } from '../lane/rest.ts';
import type { Transaction } from '../store/transactions.ts';
import type { Receipt } from './find-receipts.ts';

/**
 * Whether a transaction was reverted as a whole because the Operator executed nothing of it (stopped, another epoch, no
 * role) in its block: then none of its calls is to blame. False when nobody can tell.
 */
export async function wasRefused(
  lane: Lane,
  transaction: Transaction,
  { status, blockHash }: Receipt,
): Promise<boolean> {
  if (BigInt(status) !== 0n) return false;
  try {
    return (await askOperator(lane, transaction, { blockHash })) !== null;
  } catch (error) {
    if (error instanceof RpcRefused) return false;
    throw error;
  }
}
