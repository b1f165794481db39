import { presentAddress } from '../../chain/address.ts';
import type { Tx } from '../../db/client.ts';
import { table } from '../../db/table.ts';
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
  const [row] = await table(tx, 'accounts')
    .where({ id: accountId })
    .update({ wallet_sequence: tx.raw('wallet_sequence + 1') })
    .returning(['wallet_sequence']);
  return row!.wallet_sequence;
}
