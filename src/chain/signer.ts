import { Transaction, Wallet } from 'ethers';
import type { Hex } from '../db/bytes.ts';

/** What a transaction needs besides its sender. Gas in gas, fees in wei per gas. */
export interface UnsignedTransaction {
  chainId: bigint;
  nonce: bigint;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Holds one hot key. A key that lives in another machine fits behind the same two members. */
export interface Signer {
  /** Lower-case hex. */
  address: Hex;
  sign(transaction: UnsignedTransaction): Promise<{ raw: Hex; hash: Hex }>;
}

/** A signer from a private key in memory (0x-prefixed, 32 bytes). */
export function createKeySigner(privateKey: string): Signer {
  const wallet = new Wallet(privateKey);
  return {
    address: wallet.address.toLowerCase() as Hex,
    sign: async ({ chainId, nonce, ...rest }) => {
      const transaction = Transaction.from({ type: 2, chainId, nonce: Number(nonce), value: 0n, ...rest });
      transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
      return { raw: transaction.serialized as Hex, hash: transaction.hash as Hex };
    },
  };
}
