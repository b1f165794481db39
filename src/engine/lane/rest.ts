import { encodeExecution } from '../../chain/abi/execution.ts';
import { readRefusal } from '../../chain/abi/reverts.ts';
import type { Refusal } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { setResting } from '../store/lanes.ts';
import type { LaneKey } from '../store/lanes.ts';
import type { Lane } from './lane.ts';

/** Thrown when the Operator executes nothing of this signer, or of this epoch. No call is to blame. */
export class ExecutionRefused extends Error {
  override readonly name = 'ExecutionRefused';
  readonly refusal: Refusal;
  readonly at: OperatorEpoch;
  constructor(refusal: Refusal, at: OperatorEpoch) {
    super(`the Operator executes nothing: ${refusal.reason}`);
    this.refusal = refusal;
    this.at = at;
  }
}

/** Lets the lane rest. What is queued stays queued, and what is in flight is settled as ever. */
export async function startRest(lane: Lane, { refusal, at }: ExecutionRefused): Promise<void> {
  const { db, log, key, config } = lane;
  lane.rest.current = { at, lookAt: performance.now() + config.timings.restMs };
  if (await setResting(db, key, refusal.reason)) {
    log.error(
      { signer: key.signer, reason: refusal.reason },
      'the Operator executes nothing: the lane rests',
    );
  }
}

/** Whether the lane rests. When its pause is over, this asks the Operator again. */
export async function isResting(lane: Lane): Promise<boolean> {
  const { db, log, key, rest } = lane;
  if (!rest.current) return false;
  if (performance.now() < rest.current.lookAt) return true;
  const { at } = rest.current;
  const refusal = await askOperator(lane, at, 'latest');
  if (refusal && !hasMovedOn(refusal, at)) {
    await startRest(lane, new ExecutionRefused(refusal, at));
    return true;
  }
  rest.current = null;
  if (await setResting(db, key, null)) log.info({ signer: key.signer }, 'the Operator executes again');
  return false;
}

/** Whether the batch is of an epoch that is over: its intents may belong to the current one. */
export const hasMovedOn = (refusal: Refusal, { epoch }: OperatorEpoch): boolean =>
  refusal.reason === 'wrong-epoch' && refusal.current > epoch;

/** Why the Operator would refuse whatever this signer sends in this epoch; null when it would not. */
export async function askOperator(
  { rpc, key }: Pick<Lane, 'rpc'> & { key: Pick<LaneKey, 'signer'> },
  { operator, epoch }: OperatorEpoch,
  block: 'latest' | { blockHash: string },
): Promise<Refusal | null> {
  try {
    const call = { from: key.signer, to: operator, data: encodeExecution(epoch, []) };
    await rpc.call('eth_call', [call, block]);
    return null;
  } catch (error) {
    const refusal = error instanceof RpcRefused ? readRefusal(error.data) : null;
    if (!refusal) throw error;
    return refusal;
  }
}
