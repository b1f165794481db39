import type { Lane } from '../lane/lane.ts';
import type { Queue } from '../store/queue.ts';
import type { Fees } from '../store/transactions.ts';
import { fillBatch, planCall, roomInBlock } from './batch.ts';
import type { Batch, PlannedCall } from './batch.ts';
import { fairOrder } from './fair-order.ts';
import { maxAffordableGas } from './fees.ts';
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
interface ChoosingLane extends Pick<Lane, 'config' | 'gasMemory' | 'turns'> {
  head: Pick<Lane['head'], 'newest'>;
  inFlight: Pick<Lane['inFlight'], 'open'>;
}

/** Chooses the next transaction's calls: as many as fit, in the order of the accounts' turns. */
export function chooseBatch(lane: ChoosingLane, queue: Queue, fees: Fees): Choice {
  const { config, head, inFlight, gasMemory, turns } = lane;
  const { gasLimit, number } = head.newest;
  const maxGas = maxTransactionGas(gasLimit, config.maxTransactionGas);
  const waiting = queue.queued.map((intent) => planCall(intent, gasMemory, maxGas));
  const open = inFlight.open();
  const room = roomInBlock(gasLimit, { open, othersGas: queue.othersGas, lanes: queue.lanes });
  if (room === 0 && open.length > 0) return { calls: [], heldBack: turns.heldBack?.number ?? null, waiting };
  const batch = fillBatch(fairOrder(waiting, turns.spent, QUANTUM), {
    calls: config.maxBatch,
    calldataBytes: config.maxCalldataBytes,
    targetGas: Math.min(maxGas, Number(gasLimit / BLOCK_PART)),
    gasLimit: Math.min(maxGas, room, Number(maxAffordableGas(fees))),
    always: open.length === 0,
  });
  const { heldBack } = turns;
  if (heldBack && heldBack.number === batch.heldBack && number > heldBack.block + MAX_BLOCKS_HELD_BACK) {
    return { calls: [], heldBack: batch.heldBack, waiting };
  }
  return { ...batch, waiting };
}
