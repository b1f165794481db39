import { setPauseReason } from '../store/lanes.ts';
import { readBudget } from './budget.ts';
import type { Lane, Pause } from './lane.ts';
import { canSign } from './sign.ts';
import type { SignerFailed } from './sign.ts';

/** Pauses the lane when its signer does not sign. What is queued stays queued, and what is in flight is settled as ever. */
export async function pauseForSigner(lane: Lane, { message }: SignerFailed): Promise<void> {
  const { key, log } = lane;
  setPause(lane, 'signer');
  if (await publish(lane)) log.error({ signer: key.signer, error: message }, 'the lane is paused');
}

/**
 * The same when all signers together have spent the fees of the day, but for what is kept of them: returns whether they have.
 * What is in flight still bids more, and frees its nonces, for it would hold up everything else.
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

/** Whether the lane is paused. When the pause is over, its reason is asked for again. */
export async function isPaused(lane: Lane): Promise<boolean> {
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

/** Whether the lane is paused for the fees of the day alone, and there is something left of them that is kept for brakes. */
export const paysForBrakes = async (lane: Lane): Promise<boolean> =>
  lane.health.pause?.reason === 'budget' && (await readBudget(lane)) === 'brakes';

function setPause({ health, config }: Lane, reason: Pause['reason']): void {
  health.pause = { reason, lookAt: performance.now() + config.timings.pauseMs };
}

/** Returns whether what everybody may know has changed. */
const publish = ({ db, key, health }: Lane): Promise<boolean> =>
  setPauseReason(db, key, health.pause?.reason ?? (health.isStuck ? 'stuck' : null));
