import type { CallResult } from '../../chain/abi/execution.ts';
import { describeRevert, isAlreadyDone } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { failInTurn } from '../settle/verdict.ts';
import type { QueuedIntent } from '../store/queue.ts';
import { findBehind } from '../store/requeue.ts';
import { maxTransactionGas } from './gas.ts';
import { simulate } from './simulate.ts';

/** `premature`: an earlier call of the contract may still be sent; `unsure`: nothing can be said yet. */
export type RevertVerdict = 'failed' | 'premature' | 'unsure';

/**
 * The verdict on a call that reverted in a batch: once more, alone, at the canonical head by its hash, since an
 * endpoint that lags, or stays on a fork, may have answered. There is none while an earlier call of the
 * contract may still be sent.
 */
export async function verifyRevert(lane: Lane, intent: QueuedIntent): Promise<RevertVerdict> {
  const { number } = intent;
  if ((await findBehind(lane.db, [number])).size > 0) return 'premature';
  // The owner of a contract may have changed it in a block that nobody had a reason to look at.
  const cursor = await lane.chain.fresh();
  if (!cursor) return 'unsure';
  const maxGas = maxTransactionGas(lane.head.newest.gasLimit, lane.config.profile.maxTransactionGas);
  const result = await simulateAt(lane, intent, { maxGas, block: cursor.head.hash });
  if (!result || result.ok || isAlreadyDone(result, intent.epoch, number)) return 'unsure';
  const error = describeRevert(result.returnData, lane.config.factories);
  // What a reorg took back meanwhile goes again, and may be what this call needs.
  return (await failInTurn(lane, { number, error, transactionHash: null })) ? 'failed' : 'premature';
}

/** Simulates a call alone, at a block by hash; null when the endpoint does not have that block. */
async function simulateAt(
  lane: Lane,
  intent: QueuedIntent,
  { maxGas, block }: { maxGas: number; block: Hex },
): Promise<CallResult | null> {
  try {
    const [result] = await simulate(lane, [intent], { maxGas, block: { blockHash: block } });
    return result ?? null;
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
