import { describeRevert } from '../../chain/abi/reverts.ts';
import { hasCallOf } from '../lane/in-flight.ts';
import type { Lane } from '../lane/lane.ts';
import { readOutcome } from '../settle/call-outcome.ts';
import { isInChain } from '../settle/reorg.ts';
import { failQueued } from '../settle/verdict.ts';
import { findBehind } from '../store/requeue.ts';
import type { PlannedCall } from './batch.ts';
import { cappedFees, firstFees } from './fees.ts';
import { gasLimitOf, maxTransactionGas } from './gas.ts';
import { simulate } from './simulate.ts';

/** `premature`: an earlier call of the contract may still be sent; `unsure`: nothing can be said yet. */
export type RevertVerdict = 'failed' | 'premature' | 'unsure';

/**
 * The verdict on a call that reverted in a batch: once more, alone, at a block that is at least as new as all that
 * this lane has seen mined, since an endpoint that lags may have answered. There is none while an earlier call of the
 * contract may still be sent.
 */
export async function verifyRevert(lane: Lane, call: PlannedCall): Promise<RevertVerdict> {
  const { number, contract, fullGas } = call.intent;
  if ((await findBehind(lane.db, [number])).size > 0) return 'premature';
  // The owner of a contract may have changed it in a block that this lane had no reason to look at.
  await lane.head.refresh();
  const snapshots = lane.inFlight.snapshot().filter(({ transaction }) => hasCallOf(transaction, contract));
  const { baseFee, gasLimit } = lane.head.newest;
  const maxGas = maxTransactionGas(gasLimit, lane.config.maxTransactionGas);
  const fees = cappedFees(firstFees(baseFee, lane.tip.last), BigInt(Math.min(maxGas, gasLimitOf([call]))));
  const block = `0x${newestKnownBlock(lane).toString(16)}`;
  const [result] = await simulate(lane, [call], { maxGas, fees, block });
  if (!result || readOutcome(result, { number, fullGas, gasCap: call.gasCap }) !== 'reverted')
    return 'unsure';
  // What a reorg has just taken back is not in that block, and may be what this call needs.
  for (const { mined } of snapshots) {
    if (!mined || (await isInChain(lane, mined)) !== true) return 'unsure';
  }
  if (snapshots.some(({ transaction, mined }) => transaction.mined !== mined)) return 'unsure';
  const error = describeRevert(result.returnData, lane.config.factories);
  await failQueued(lane, [{ number, error, transactionHash: null }]);
  return 'failed';
}

/** The newest of the head and all blocks in which this lane has seen a receipt. */
const newestKnownBlock = ({ inFlight, head }: Lane): bigint =>
  inFlight.unfinished.reduce(
    (newest, { mined }) => (mined && mined.blockNumber > newest ? mined.blockNumber : newest),
    head.newest.number,
  );
