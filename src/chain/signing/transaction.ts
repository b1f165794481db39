import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * Encodes transactions in RLP by hand, for the two shapes that are sent here. Batches are up to 100 KB long: with the
 * general coder of ethers they took a fifth of the service's CPU time. test/chain/transaction.test.ts compares the two.
 */

/** A transaction before it is signed. Gas in gas, fees in wei per gas; no value is ever sent. */
export interface UnsignedTransaction {
  /** `legacy`: type 0, bound to its chain by EIP-155; `maxFeePerGas` is its gas price, and there is no tip. */
  type: 'eip1559' | 'legacy';
  chainId: bigint;
  nonce: bigint;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** `r` and `s` have at most 32 bytes. */
export interface TransactionSignature {
  yParity: 0 | 1;
  r: bigint;
  s: bigint;
}

const DYNAMIC_FEE_TYPE = Buffer.from([0x02]);
const NO_VALUE = 0n;

/** Returns the bytes of a transaction: without a signature those to hash and sign, with one those to send. */
export function serializeTransaction(
  transaction: UnsignedTransaction,
  signature?: TransactionSignature,
): Buffer {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, data } = transaction;
  const call = [encodeBytes(toBytes(to)), encodeNumber(NO_VALUE), encodeBytes(toBytes(data))];
  if (transaction.type === 'legacy') {
    // EIP-155: the chain id stands where the signature comes, and is part of `v` afterwards.
    const end = signature
      ? [chainId * 2n + 35n + BigInt(signature.yParity), signature.r, signature.s]
      : [chainId, 0n, 0n];
    return encodeList([
      ...[nonce, maxFeePerGas, gasLimit].map(encodeNumber),
      ...call,
      ...end.map(encodeNumber),
    ]);
  }
  const noAccessList = Buffer.from([0xc0]);
  const items = [
    ...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(encodeNumber),
    ...call,
    noAccessList,
    ...(signature ? [BigInt(signature.yParity), signature.r, signature.s].map(encodeNumber) : []),
  ];
  return Buffer.concat([DYNAMIC_FEE_TYPE, encodeList(items)]);
}

/** RLP: a list is its items, already encoded, one after the other. */
function encodeList(items: readonly Buffer[]): Buffer {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([prefix(0xc0, length), ...items]);
}

/** RLP: a number is its big-endian bytes without leading zeros; zero has no bytes. */
function encodeNumber(value: bigint): Buffer {
  if (value === 0n) return encodeBytes(Buffer.alloc(0));
  const digits = value.toString(16);
  return encodeBytes(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
}

function encodeBytes(bytes: Buffer): Buffer {
  const isItself = bytes.length === 1 && bytes[0]! < 0x80;
  return isItself ? bytes : Buffer.concat([prefix(0x80, bytes.length), bytes]);
}

/** RLP: a length up to 55 is part of the prefix; a longer one follows it in as few bytes as it needs. */
function prefix(base: number, length: number): Buffer {
  if (length <= 55) return Buffer.from([base + length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([base + 55 + bytes.length]), bytes]);
}
