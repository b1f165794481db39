import { encodeExecution } from '../../chain/abi/execution.ts';
import { encodeMints } from '../../chain/abi/mint-list.ts';
import { abiOf } from '../../chain/abi/operator-abi.ts';
import type { Hex } from '../../lib/hex.ts';
import type { LaneConfig } from '../lane/config.ts';
import type { QueuedIntent } from '../store/queue.ts';

/** A call of an intent, with the gas cap that it is simulated and sent with. */
interface BatchCall {
  intent: Pick<QueuedIntent, 'number' | 'target' | 'data' | 'operator' | 'epoch'>;
  gasCap: number;
}

interface EncodedBatch {
  calldata: Hex;
  /** Whether it is of `executeMints`. */
  areMints: boolean;
}

/**
 * Encodes a call of the Operator that runs these calls, one at least, all of one Operator and epoch: for several plain mints
 * of the function that mints for less, where its edition has that.
 */
export function encodeBatch(config: Pick<LaneConfig, 'abis'>, batch: readonly BatchCall[]): EncodedBatch {
  const { epoch, operator } = batch[0]!.intent;
  const abi = abiOf(config, operator);
  const calls = batch.map(({ intent: { number, target, data }, gasCap }) => ({
    ...{ number, target, data },
    gasCap,
  }));
  const mints = encodeMints(abi, epoch, calls);
  return { calldata: mints ?? encodeExecution(abi, epoch, calls), areMints: mints !== null };
}
