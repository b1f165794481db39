import { decodeRaise } from '../../chain/abi/operator.ts';
import type { Block } from '../../chain/follower/follower.ts';
import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { noteRaised } from '../store/epochs.ts';
import { notifyQueued } from '../store/notices.ts';
import { requeueVoid } from '../store/requeue.ts';

/** Lets epochs begin that final blocks show as raised by this database: what is open of earlier ones is void, and its calls go again. */
export async function noteRaises(
  tx: Tx,
  blocks: readonly Pick<Block, 'number' | 'logs'>[],
  operators: readonly Hex[],
): Promise<void> {
  const raises = blocks.flatMap(({ number: blockNumber, logs }) =>
    logs.flatMap((log) => {
      const raise = decodeRaise(log, operators);
      return raise ? [{ ...raise, blockNumber }] : [];
    }),
  );
  for (const begun of await noteRaised(tx, raises)) {
    await requeueVoid(tx, begun);
    await notifyQueued(tx);
  }
}
