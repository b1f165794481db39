import { encodeExecution } from '../../chain/abi/execution.ts';
import { encodeMints } from '../../chain/abi/mint-list.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneConfig } from '../lane/config.ts';
import type { QueuedIntent } from '../store/queue.ts';

/** A call of an intent, with the gas cap that it is simulated and sent with. */
interface BatchCall {
  intent: Pick<QueuedIntent, 'number' | 'target' | 'data' | 'operator' | 'epoch'>;
  gasCap: number;
}

/**
 * Returns calldata for the Operator that runs these calls, one at least, all of one Operator and epoch: for several plain
 * mints the function that mints for less, which an Operator of an earlier edition does not have.
 */
export function encodeBatch({ operator }: Pick<LaneConfig, 'operator'>, batch: readonly BatchCall[]): Hex {
  const { epoch, operator: of } = batch[0]!.intent;
  const calls = batch.map(({ intent: { number, target, data }, gasCap }) => ({
    ...{ number, target, data },
    gasCap,
  }));
  const mints = of === operator ? encodeMints(epoch, calls) : null;
  return mints ?? encodeExecution(epoch, calls);
}
