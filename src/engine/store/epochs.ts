import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import { toBytes } from '../../lib/hex.ts';
import type { OperatorEpoch } from '../../lib/operator-epoch.ts';
import { IS_IN_FLIGHT } from './transactions.ts';

/**
 * Moves queued intents to a later epoch of their Operator. Skips intents with a transaction that is not final: its
 * bytes may still take effect in the earlier epoch. Those that were found done there, in a block that a reorg removed,
 * may be cancelled again, but for those that lost bytes may do. Returns the numbers that moved.
 * @param numbers not done in the earlier epoch, at a block in which that was over for good
 */
export async function moveToEpoch(
  tx: Tx,
  { operator, epoch }: OperatorEpoch,
  numbers: readonly bigint[],
): Promise<Set<bigint>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ number: bigint }>(
    tx,
    `update intents i set epoch = :epoch, found_done = false
      where i.number = any(:numbers::bigint[]) and i.status = 'queued'
        and i.operator = :operator and i.epoch < :epoch
        and not ${IS_IN_FLIGHT}
     returning i.number`,
    { epoch: String(epoch), operator: toBytes(operator), numbers: numbers.map(String) },
  );
  return new Set(rows.map(({ number }) => number));
}
