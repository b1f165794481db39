import { encodeExecution } from '../../chain/abi/execution.ts';
import { encodeMints } from '../../chain/abi/mint-list.ts';
import type { Hex } from '../../lib/hex.ts';
import { keyOf } from '../intent.ts';
import type { QueuedIntent } from '../store/queue.ts';

/** A call of an intent, with the gas cap that it is simulated and sent with. */
interface BatchCall {
  intent: Pick<QueuedIntent, 'id' | 'number' | 'target' | 'data' | 'epoch'>;
  gasCap: number;
}

interface EncodedBatch {
  calldata: Hex;
  /** Whether it is of `executeMints`. */
  areMints: boolean;
}

/**
 * Encodes a call of the Operator that runs these calls, one at least, all of one Operator and epoch: for several plain mints
 * of the function that mints for less.
 */
export function encodeBatch(batch: readonly BatchCall[]): EncodedBatch {
  const { epoch } = batch[0]!.intent;
  const calls = batch.map(({ intent: { id, number, target, data }, gasCap }) => ({
    ...{ number, target, data },
    key: keyOf(id),
    gasCap,
  }));
  const mints = encodeMints(epoch, calls);
  return { calldata: mints ?? encodeExecution(epoch, calls), areMints: mints !== null };
}
