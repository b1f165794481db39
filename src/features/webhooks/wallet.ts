import { presentAddress } from '../../chain/address.ts';
import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import type { WakeLines } from './delivery-jobs.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Writes the messages about a new wallet. It owns what is deployed on the chain, so the sandbox is not notified. */
export async function notifyWalletChange(
  tx: Tx,
  wake: WakeLines,
  accountId: string,
  { from, to }: { from: Hex | null; to: Hex | null },
): Promise<void> {
  const event = 'account.wallet_changed';
  const data = {
    accountId,
    walletAddress: to && presentAddress(to),
    previousWalletAddress: from && presentAddress(from),
  };
  const sequence = await countChange(tx, accountId);
  const payload = JSON.stringify({ type: event, timestamp: new Date().toISOString(), sequence, data });
  await insertDeliveries(tx, wake, [{ accountId, environment: 'live', event, intentId: null, payload }]);
}

/** How often the wallet changed, with this change. */
async function countChange(tx: Tx, accountId: string): Promise<number> {
  const [row] = await query<{ sequence: number }>(
    tx,
    'update accounts set wallet_sequence = wallet_sequence + 1 where id = :accountId returning wallet_sequence as sequence',
    { accountId },
  );
  return row!.sequence;
}
