import { becomeSender, yieldSender } from '../store/sender.ts';
import type { SenderLook } from '../store/sender.ts';
import type { Lane } from './lane.ts';

/** Whether nothing keeps the lane from sending that the others can see. */
const isWell = ({ health, funds }: Pick<Lane, 'health' | 'funds'>): boolean =>
  !health.pause && !health.isStuck && funds.areEnough;

/**
 * What it could not pay for another one may; but of two that are short, each would wait for the other to be the sender.
 */
const isShort = ({ funds }: Pick<Lane, 'funds'>): boolean => performance.now() < funds.shortUntil;

const lacksRole = ({ health }: Pick<Lane, 'health'>): boolean =>
  [...health.pausedOperators.values()].some(({ reason }) => reason === 'no-role');

const canSend = (lane: Pick<Lane, 'health' | 'funds'>): boolean => isWell(lane) && !isShort(lane);

/** Whether there is nothing that another lane could do and this one cannot. */
export const canSendAll = (lane: Pick<Lane, 'health' | 'funds'>): boolean =>
  canSend(lane) && !lacksRole(lane);

/**
 * What the lane does about being the sender, at one look: `stays` the sender; `began` to be it now, since no process
 * holds the lane that was; or it `stands by`, perhaps since another lane can do more.
 */
export async function decideRole(lane: Lane, look: SenderLook): Promise<'stays' | 'began' | 'stands by'> {
  const { db, key, health, config, log } = lane;
  const { signer } = key;
  if (!look.isSender) {
    if (!look.isVacant || !(await becomeSender(db, key, isWell(lane)))) return 'stands by';
    // What it can pay for goes before it leaves the rest to another one.
    if (isShort(lane)) health.yieldAt = performance.now() + config.timings.pauseMs;
    log.info({ signer }, 'the lane takes new calls now');
    return 'began';
  }
  if (canSendAll(lane)) return 'stays';
  if (performance.now() < health.yieldAt) return 'stays';
  health.yieldAt = performance.now() + config.timings.pauseMs;
  if (!(await yieldSender(db, key, canSend(lane)))) return 'stays';
  log.warn({ signer }, 'another lane takes new calls, which can send more');
  return 'stands by';
}
