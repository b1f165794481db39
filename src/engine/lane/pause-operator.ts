import { encodeExecution } from '../../chain/abi/execution.ts';
import { readRefusal } from '../../chain/abi/reverts.ts';
import type { Refusal } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { StateBlock } from '../../lib/block-id.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import type { LaneKey } from '../store/lanes.ts';
import { deletePausedOperator, storePausedOperator } from '../store/paused-operators.ts';
import type { Lane, OperatorPause } from './lane.ts';

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

/**
 * Pauses the calls of an Operator that executes nothing of this signer. What is queued of them stays queued, what is in
 * flight is settled as ever, and those of other Operators go on.
 */
export async function pauseOperator(
  lane: Lane,
  { refusal: { reason }, at }: ExecutionRefused,
): Promise<void> {
  if (await note(lane, { reason, at })) {
    const facts = { signer: lane.key.signer, operator: at.operator, reason };
    lane.log.error(facts, 'the Operator executes nothing: its calls wait');
  }
}

/** The Operators whose calls are paused. When a pause is over, its Operator is asked again. */
export async function findPausedOperators(lane: Lane): Promise<Hex[]> {
  const { health, db, key, log } = lane;
  for (const [operator, { at, reason, lookAt }] of health.pausedOperators) {
    if (performance.now() < lookAt) continue;
    const now = await askReason(lane, { at, reason });
    if (now) {
      await note(lane, { reason: now, at });
      continue;
    }
    health.pausedOperators.delete(operator);
    if (await deletePausedOperator(db, key, operator))
      log.info({ signer: key.signer, operator }, 'its calls go on');
  }
  return [...health.pausedOperators.keys()];
}

/** Returns whether what everybody may know has changed. */
function note(
  { health, config, db, key }: Lane,
  { reason, at }: Pick<OperatorPause, 'reason' | 'at'>,
): Promise<boolean> {
  const { operator } = at;
  health.pausedOperators.set(operator, { reason, at, lookAt: performance.now() + config.timings.pauseMs });
  return storePausedOperator(db, key, { operator, reason });
}

/** Why the pause goes on; null when it is over. What an endpoint refuses to answer holds up no other Operator's calls. */
async function askReason(
  lane: Lane,
  { at, reason }: Pick<OperatorPause, 'reason' | 'at'>,
): Promise<OperatorPause['reason'] | null> {
  try {
    const refusal = await askOperator(lane, at, 'latest');
    return refusal && !hasMovedOn(refusal, at) ? refusal.reason : null;
  } catch (error) {
    if (error instanceof RpcRefused) return reason;
    throw error;
  }
}

/** Whether the batch is of an epoch that is over: its intents may belong to the current one. */
const hasMovedOn = (refusal: Refusal, { epoch }: OperatorEpoch): boolean =>
  refusal.reason === 'wrong-epoch' && refusal.current > epoch;

/** Why the Operator would refuse whatever this signer sends in this epoch; null when it would not. */
export async function askOperator(
  { rpc, key }: { rpc: Pick<Rpc, 'call'>; key: Pick<LaneKey, 'signer'> },
  { operator, epoch }: OperatorEpoch,
  block: StateBlock,
): Promise<Refusal | null> {
  try {
    const data = encodeExecution(epoch, []);
    const call = { from: key.signer, to: operator, data };
    await rpc.call('eth_call', [call, block]);
    return null;
  } catch (error) {
    const refusal = error instanceof RpcRefused ? readRefusal(error.data) : null;
    if (!refusal) throw error;
    return refusal;
  }
}
