import { Wallet } from 'ethers';
import { toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { keccak256 } from './keccak.ts';
import { serializeTransaction } from './transaction.ts';
import type { TransactionSignature, UnsignedTransaction } from './transaction.ts';

/** One hot key, in this process or elsewhere. */
export interface Signer {
  /** Lower-case hex. */
  address: Hex;
  sign(transaction: UnsignedTransaction): Promise<{ raw: Hex; hash: Hex }>;
}

/**
 * Signs a transaction with the key behind `signDigest`.
 * @param signDigest returns the signature of a Keccak-256 digest (32 bytes), with a low `s` (EIP-2)
 */
export async function signTransaction(
  transaction: UnsignedTransaction,
  signDigest: (digest: Hex) => TransactionSignature | Promise<TransactionSignature>,
): Promise<{ raw: Hex; hash: Hex }> {
  const digest = keccak256(serializeTransaction(transaction));
  const raw = serializeTransaction(transaction, await signDigest(digest));
  return { raw: toHex(raw), hash: keccak256(raw) };
}

/** Creates a signer from a private key in memory (0x-prefixed, 32 bytes). */
export function createKeySigner(privateKey: string): Signer {
  const { address, signingKey } = new Wallet(privateKey);
  return {
    address: address.toLowerCase() as Hex,
    sign: (transaction) =>
      signTransaction(transaction, (digest) => {
        const { yParity, r, s } = signingKey.sign(digest);
        return { yParity, r: BigInt(r), s: BigInt(s) };
      }),
  };
}
