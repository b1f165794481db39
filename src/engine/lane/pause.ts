import { setTrouble } from '../store/lanes.ts';
import { deletePausedOperator, storePausedOperator } from '../store/paused-operators.ts';
import { readBudget } from './funds.ts';
import type { Lane, Pause, OperatorPause } from './lane.ts';
import { canSign } from './sign.ts';
import type { SignerFailed } from './sign.ts';
import type { Refusal } from '../../chain/abi/reverts.ts';
import { RpcRefused } from '../../chain/rpc/rpc.ts';
import { askRefusal } from '../../chain/system/ask-refusal.ts';
import type { Hex } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';

/**
 * Pauses the lane when its signer does not sign. What is queued stays queued, and what is in flight is settled as ever.
 */
export async function pauseForSigner(lane: Lane, { message }: SignerFailed): Promise<void> {
  const { key, log } = lane;
  setPause(lane, 'signer');
  if (await publish(lane)) log.error({ signer: key.signer, error: message }, 'the lane is paused');
}

/**
 * The same when all signers together have spent the fees of the day, but for what is kept of them: returns whether they
 * have. What is in flight still bids more, and frees its nonces, for it would hold up everything else.
 */
export async function pauseIfBudgetSpent(lane: Lane): Promise<boolean> {
  const { key, config, log } = lane;
  if ((await readBudget(lane)) === 'all') return false;
  setPause(lane, 'budget');
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
  if (isStuck) log.warn({ signer: key.signer }, 'blocks go by without the first transaction of the lane');
}

/** Asks again for the reason of a pause whose time is over. Returns whether the lane is paused still. */
export async function recheckPause(lane: Lane): Promise<boolean> {
  const { health, key, log } = lane;
  if (!health.pause) return false;
  if (performance.now() < health.pause.lookAt) return true;
  const { reason } = health.pause;
  if (await goesOn(lane, reason)) {
    setPause(lane, reason);
    return true;
  }
  health.pause = null;
  if (await publish(lane)) log.info({ signer: key.signer }, 'the lane sends again');
  return false;
}

const goesOn = async (lane: Lane, reason: Pause['reason']): Promise<boolean> =>
  reason === 'budget' ? (await readBudget(lane)) !== 'all' : !(await canSign(lane));

/**
 * Whether the lane is paused for the fees of the day alone, and there is something left of them that is kept for
 * brakes.
 */
export const paysForBrakes = async (lane: Lane): Promise<boolean> =>
  lane.health.pause?.reason === 'budget' && (await readBudget(lane)) === 'brakes';

function setPause({ health, config }: Lane, reason: Pause['reason']): void {
  health.pause = { reason, lookAt: performance.now() + config.timings.pauseMs };
}

/** Returns whether what everybody may know has changed. */
const publish = ({ db, key, health }: Lane): Promise<boolean> =>
  setTrouble(db, key, health.pause?.reason ?? (health.isStuck ? 'stuck' : null));

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

/** Asks each paused Operator again whose time is over. Returns those whose calls are paused still. */
export async function recheckPausedOperators(lane: Lane): Promise<Hex[]> {
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

/**
 * Why the pause goes on; null when it is over. What an endpoint refuses to answer holds up no other Operator's calls.
 */
async function askReason(
  lane: Lane,
  { at, reason }: Pick<OperatorPause, 'reason' | 'at'>,
): Promise<OperatorPause['reason'] | null> {
  try {
    const refusal = await askRefusal(lane.rpc, lane.key.signer, at, 'latest');
    return refusal && !hasMovedOn(refusal, at) ? refusal.reason : null;
  } catch (error) {
    if (error instanceof RpcRefused) return reason;
    throw error;
  }
}

/** Whether the batch is of an epoch that is over: its intents may belong to the current one. */
const hasMovedOn = (refusal: Refusal, { epoch }: OperatorEpoch): boolean =>
  refusal.reason === 'wrong-epoch' && refusal.current > epoch;
