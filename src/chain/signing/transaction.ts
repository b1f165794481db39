import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * EIP-1559 transactions in RLP, written out by hand for the one shape that is sent here. Batches are up to 100 KB long,
 * and a general coder spent a fifth of the service's time on them. test/chain/transaction.test.ts compares with ethers.
 */

/** What a transaction needs besides its sender. Gas in gas, fees in wei per gas; no value is ever sent. */
export interface UnsignedTransaction {
  chainId: bigint;
  nonce: bigint;
  to: Hex;
  data: Hex;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** `yParity` is 0 or 1; `r` and `s` are numbers of 32 bytes at the most. */
export interface TransactionSignature {
  yParity: 0 | 1;
  r: bigint;
  s: bigint;
}

const DYNAMIC_FEE_TYPE = Buffer.from([0x02]);

/** The bytes of a transaction: without a signature those to be hashed and signed, with one those to be sent. */
export function serializeTransaction(
  transaction: UnsignedTransaction,
  signature?: TransactionSignature,
): Buffer {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, data } = transaction;
  const noValue = 0n;
  const noAccessList = Buffer.from([0xc0]);
  const items = [
    ...[chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(encodeNumber),
    encodeBytes(toBytes(to)),
    encodeNumber(noValue),
    encodeBytes(toBytes(data)),
    noAccessList,
    ...(signature ? [BigInt(signature.yParity), signature.r, signature.s].map(encodeNumber) : []),
  ];
  const length = items.reduce((sum, item) => sum + item.length, 0);
  return Buffer.concat([DYNAMIC_FEE_TYPE, prefix(0xc0, length), ...items]);
}

/** RLP: a number is its big-endian bytes without zeros in front, and zero is no byte at all. */
function encodeNumber(value: bigint): Buffer {
  if (value === 0n) return encodeBytes(Buffer.alloc(0));
  const digits = value.toString(16);
  return encodeBytes(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'));
}

function encodeBytes(bytes: Buffer): Buffer {
  const isItself = bytes.length === 1 && bytes[0]! < 0x80;
  return isItself ? bytes : Buffer.concat([prefix(0x80, bytes.length), bytes]);
}

/** RLP: a length up to 55 rides in the prefix, a longer one follows it in as few bytes as it needs. */
function prefix(base: number, length: number): Buffer {
  if (length <= 55) return Buffer.from([base + length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([base + 55 + bytes.length]), bytes]);
}
