import { Wallet } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Anvil } from '../stage/anvil.ts';

/** Owns tokens, and is no signer of the service. */
export const OWNER = new Wallet(embeddedAccounts[5].privateKey);
/** `pause()` */
const PAUSE = '0x8456cb59';

/**
 * The owner pauses a token past the service, before a mint of the service in the same block. @returns the signed
 * transaction
 */
export async function signPause(anvil: Anvil, token: string): Promise<string> {
  const nonce = await anvil.call<string>('eth_getTransactionCount', [OWNER.address, 'latest']);
  return OWNER.signTransaction({
    type: 2,
    chainId: 31_337,
    nonce: Number(nonce),
    to: token,
    data: PAUSE,
    gasLimit: 100_000,
    // Before the service's own in its block.
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 11n,
  });
}
