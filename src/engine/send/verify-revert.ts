import type { CallResult } from '../../chain/abi/execution.ts';
import { describeRevert } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Lane } from '../lane/lane.ts';
import { readOutcome } from '../settle/call-outcome.ts';
import { failInTurn } from '../settle/verdict.ts';
import { findBehind } from '../store/requeue.ts';
import type { PlannedCall } from './batch.ts';
import { simulate } from './simulate.ts';
import type { Terms } from './simulate.ts';

/**
 * `premature`: an earlier call of the contract may still be sent, or what was signed for this one may still be mined;
 * `unsure`: nothing can be said yet.
 */
export type RevertVerdict = 'failed' | 'premature' | 'unsure';

/**
 * The verdict on a call that reverted in a batch: once more, alone, at the canonical head by its hash, since an
 * endpoint that lags, or stays on a fork, may have answered. There is none while an earlier call of the
 * contract may still be sent.
 */
export async function verifyRevert(lane: Lane, call: PlannedCall, terms: Terms): Promise<RevertVerdict> {
  const { number, epoch, fullGas } = call.intent;
  if ((await findBehind(lane.db, [number])).size > 0) return 'premature';
  // The owner of a contract may have changed it in a block that nobody had a reason to look at.
  const cursor = await lane.chain.fresh();
  if (!cursor) return 'unsure';
  const result = await simulateAt(lane, call, terms, cursor.head.hash);
  if (!result) return 'unsure';
  if (readOutcome(result, { number, epoch, fullGas, gasCap: call.gasCap }) !== 'reverted') return 'unsure';
  const error = describeRevert(result.returnData, lane.config.factories);
  // What a reorg took back meanwhile goes again, and may be what this call needs; and its own bytes may be mined again.
  return (await failInTurn(lane, { number, error, transactionHash: null })) ? 'failed' : 'premature';
}

/** Simulates a call alone, at a block by hash; null when the endpoint does not have that block. */
async function simulateAt(
  lane: Lane,
  call: PlannedCall,
  terms: Terms,
  blockHash: Hex,
): Promise<CallResult | null> {
  try {
    const [result] = await simulate(lane, [call], terms, { blockHash });
    return result ?? null;
  } catch (error) {
    if (error instanceof RpcRefused) return null;
    throw error;
  }
}
