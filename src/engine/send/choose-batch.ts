import type { Lane } from '../lane/lane.ts';
import type { Queue } from '../store/queue.ts';
import { fillBatch, planCall, roomInBlock } from './batch.ts';
import type { Batch, PlannedCall } from './batch.ts';
import { fairOrder } from './fair-order.ts';
import { maxTransactionGas } from './gas.ts';

/** A batch uses at most this part of a block, so that it finds room next to others. */
const BLOCK_PART = 12n;
/** Gas that an account is given in each round: about a mint to a first holder. */
const QUANTUM = 100_000;
/** A call that found no room while so many blocks were mined keeps what comes after it waiting, until it finds some. */
const MAX_BLOCKS_HELD_BACK = 1n;

export interface Choice extends Batch {
  /** All that was to be chosen from. */
  waiting: PlannedCall[];
}

/** What of a lane decides on its next transaction. */
interface ChoosingLane extends Pick<Lane, 'gasMemory' | 'turns'> {
  config: Pick<Lane['config'], 'maxBatch' | 'profile'>;
  head: Pick<Lane['head'], 'newest'>;
  inFlight: Pick<Lane['inFlight'], 'open'>;
  l1: Pick<Lane['l1'], 'gas'>;
}

/**
 * Chooses the next transaction's calls: as many as fit, in the order of the accounts' turns.
 * @param payableGas gas limit that can be paid for with ease
 */
export function chooseBatch(lane: ChoosingLane, queue: Queue, payableGas: number): Choice {
  const { config, head, inFlight, gasMemory, turns, l1 } = lane;
  const { gasLimit, number } = head.newest;
  const { maxTransactionGas: profileGas, maxCalldataBytes } = config.profile;
  const maxGas = maxTransactionGas(gasLimit, profileGas);
  const waiting = queue.queued.map((intent) => planCall(intent, gasMemory, maxGas));
  const open = inFlight.open();
  const room = roomInBlock(gasLimit, open);
  const { heldBack } = turns;
  if (room === 0 && open.length > 0) return { calls: [], heldBack: heldBack?.number ?? null, waiting };
  const batch = fillBatch(fairOrder(waiting, turns.spent, QUANTUM), {
    calls: config.maxBatch,
    calldataBytes: maxCalldataBytes,
    targetGas: Math.min(maxGas, Number(gasLimit / BLOCK_PART)),
    room: Math.min(maxGas, room),
    always: open.length === 0,
    payableGas,
    l1Gas: l1.gas,
  });
  if (heldBack && heldBack.number === batch.heldBack && number > heldBack.block + MAX_BLOCKS_HELD_BACK) {
    return { calls: [], heldBack: batch.heldBack, waiting };
  }
  return { ...batch, waiting };
}
