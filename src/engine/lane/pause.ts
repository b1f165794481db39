import { encodeExecution } from '../../chain/abi/execution.ts';
import { readRefusal } from '../../chain/abi/reverts.ts';
import type { Refusal } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import type { StateBlock } from '../../lib/block-id.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { releaseContracts } from '../store/contract-lanes.ts';
import { setPauseReason } from '../store/lanes.ts';
import type { LaneKey, PauseReason } from '../store/lanes.ts';
import { isBudgetSpent } from './budget.ts';
import type { Lane } from './lane.ts';
import { canSign } from './sign.ts';
import type { SignerFailed } from './sign.ts';

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

/** Pauses the lane. What is queued stays queued, and what is in flight is settled as ever. */
export async function pauseLane(lane: Lane, { refusal, at }: ExecutionRefused): Promise<void> {
  const { key, log } = lane;
  const { reason } = refusal;
  setPause(lane, { reason, at });
  if (await publish(lane))
    log.error({ signer: key.signer, reason }, 'the Operator executes nothing: the lane is paused');
}

/** The same when its signer does not sign. */
export async function pauseForSigner(lane: Lane, { message }: SignerFailed): Promise<void> {
  const { key, log } = lane;
  setPause(lane, { reason: 'signer', at: null });
  if (await publish(lane)) log.error({ signer: key.signer, error: message }, 'the lane is paused');
}

/**
 * The same when all signers together have spent the fees of the day: returns whether they have. What is in flight still bids
 * more, and frees its nonces, for it would hold up everything else.
 */
export async function pauseIfBudgetSpent(lane: Lane): Promise<boolean> {
  const { key, config, log } = lane;
  if (!(await isBudgetSpent(lane))) return false;
  setPause(lane, { reason: 'budget', at: null });
  if (await publish(lane)) {
    const facts = { signer: key.signer, maxFeesPerDay: String(config.maxFeesPerDay) };
    log.error(facts, 'the fees of the day are spent: the lane is paused');
  }
  return true;
}

/** Takes note of whether blocks go by without the first transaction of the lane. */
export async function noteStuck(lane: Lane, isStuck: boolean): Promise<void> {
  const { health, key, log } = lane;
  if (health.isStuck === isStuck) return;
  health.isStuck = isStuck;
  if (!(await publish(lane))) return;
  if (isStuck)
    log.warn(
      { signer: key.signer },
      'blocks go by without the first transaction: other lanes take its contracts',
    );
}

/** Whether the lane is paused. When the pause is over, its reason is asked for again. */
export async function isPaused(lane: Lane): Promise<boolean> {
  const { health, key, log } = lane;
  if (!health.pause) return false;
  if (performance.now() < health.pause.lookAt) return true;
  const reason = await findPauseReason(lane, health.pause);
  if (reason) {
    setPause(lane, { reason, at: health.pause.at });
    await publish(lane);
    return true;
  }
  health.pause = null;
  if (await publish(lane)) log.info({ signer: key.signer }, 'the lane sends again');
  return false;
}

/** Why the pause goes on; null when it is over. */
async function findPauseReason(
  lane: Lane,
  { reason, at }: NonNullable<Lane['health']['pause']>,
): Promise<PauseReason | null> {
  if (at) return readRefusalReason(lane, at);
  if (reason === 'budget') return (await isBudgetSpent(lane)) ? reason : null;
  return (await canSign(lane)) ? null : reason;
}

/** Whether the lane is fit to take contracts that another lane could take. */
export const mayClaim = ({ health, funds }: Pick<Lane, 'health' | 'funds'>): boolean =>
  !health.pause && !health.isStuck && funds.areEnough && performance.now() >= funds.shortUntil;

/** Gives contracts of which nothing is under way to whichever lane can send, if there is one. */
export async function letGo({ db, key, health, config, log }: Lane): Promise<void> {
  if (performance.now() < health.letGoAt) return;
  health.letGoAt = performance.now() + config.timings.pauseMs;
  const contracts = await releaseContracts(db, key);
  if (contracts > 0) log.warn({ signer: key.signer, contracts }, 'contracts go to a lane that can send');
}

function setPause(
  { health, config }: Lane,
  { reason, at }: Pick<NonNullable<Lane['health']['pause']>, 'reason' | 'at'>,
): void {
  health.pause = { reason, at, lookAt: performance.now() + config.timings.pauseMs };
}

/** Returns whether what everybody may know has changed. */
const publish = ({ db, key, health }: Lane): Promise<boolean> =>
  setPauseReason(db, key, health.pause?.reason ?? (health.isStuck ? 'stuck' : null));

async function readRefusalReason(lane: Lane, at: OperatorEpoch): Promise<Refusal['reason'] | null> {
  const refusal = await askOperator(lane, at, 'latest');
  return refusal && !hasMovedOn(refusal, at) ? refusal.reason : null;
}

/** Whether the batch is of an epoch that is over: its intents may belong to the current one. */
export const hasMovedOn = (refusal: Refusal, { epoch }: OperatorEpoch): boolean =>
  refusal.reason === 'wrong-epoch' && refusal.current > epoch;

/** Why the Operator would refuse whatever this signer sends in this epoch; null when it would not. */
export async function askOperator(
  { rpc, key }: Pick<Lane, 'rpc'> & { key: Pick<LaneKey, 'signer'> },
  { operator, epoch }: OperatorEpoch,
  block: StateBlock,
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
