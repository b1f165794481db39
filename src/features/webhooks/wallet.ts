import { presentAddress } from '../../chain/address.ts';
import type { Tx } from '../../db/client.ts';
import type { Hex } from '../../lib/hex.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Writes the messages about a new wallet. It owns what is deployed on the chain, so the sandbox is not notified. */
export async function notifyWalletChange(
  tx: Tx,
  accountId: string,
  { from, to }: { from: Hex | null; to: Hex | null },
): Promise<void> {
  const event = 'account.wallet_changed';
  const data = {
    accountId,
    walletAddress: to && presentAddress(to),
    previousWalletAddress: from && presentAddress(from),
  };
  const payload = JSON.stringify({ type: event, timestamp: new Date().toISOString(), data });
  await insertDeliveries(tx, [{ accountId, environment: 'live', event, intentId: null, payload }]);
}
