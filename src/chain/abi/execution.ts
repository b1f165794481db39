import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { OPERATOR } from './interfaces.ts';

/*
 * Encodes and decodes `Operator.execute` by hand. A batch has hundreds of calls and is encoded several times: with the
 * general coder of ethers that took half of the service's CPU time. test/chain/execution.test.ts compares the two.
 */

/** One call of `Operator.execute`. Gas in gas. */
export interface OperatorCall {
  target: Hex;
  gasCap: number;
  /** Number of the intent, below 2^64. */
  number: bigint;
  /** Of the client, below 2^64: its event repeats it. */
  key: bigint;
  data: Hex;
}

/** The outcome of one call. An event of success has only the first word of `returnData`. */
export interface CallResult {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
}

/** The function of the Operator that runs any calls. */
export const EXECUTE = OPERATOR.getFunction('execute')!;

const WORD = 32;
export const SELECTOR_BYTES = 4;
/** Epoch, offset of the array, its length. */
const HEAD_WORDS = 3;
/** target, gasCap, number, offset of data, length of data. */
const CALL_WORDS = 5;

function pad(length: number): number {
  return Math.ceil(length / WORD) * WORD;
}

/** Returns the calldata of `Operator.execute`. All calls belong to one epoch. */
export function encodeExecution(epoch: bigint, calls: readonly OperatorCall[]): Hex {
  const lengths = calls.map(({ data }) => (data.length - 2) / 2);
  const heads = (HEAD_WORDS + calls.length) * WORD;
  const size = lengths.reduce((sum, length) => sum + CALL_WORDS * WORD + pad(length), heads);
  const bytes = Buffer.alloc(SELECTOR_BYTES + size);
  bytes.write(EXECUTE.selector.slice(2), 'hex');
  const body = bytes.subarray(SELECTOR_BYTES);
  body.writeBigUInt64BE(epoch, WORD - 8);
  writeNumber(body, WORD, 2 * WORD);
  writeNumber(body, 2 * WORD, calls.length);
  let at = heads;
  calls.forEach(({ target, gasCap, number, key, data }, index) => {
    // Offsets of a dynamic array's elements count from the end of its length.
    writeNumber(body, (HEAD_WORDS + index) * WORD, at - HEAD_WORDS * WORD);
    body.write(target.slice(2), at + 12, 'hex');
    writeNumber(body, at + WORD, gasCap);
    body.writeBigUInt64BE(key, at + 3 * WORD - 16);
    body.writeBigUInt64BE(number, at + 3 * WORD - 8);
    writeNumber(body, at + 3 * WORD, 4 * WORD);
    writeNumber(body, at + 4 * WORD, lengths[index]!);
    body.write(data.slice(2), at + CALL_WORDS * WORD, 'hex');
    at += CALL_WORDS * WORD + pad(lengths[index]!);
  });
  return toHex(bytes);
}

/** Decodes the answer to a simulated `Operator.execute`, one result a call. @throws RangeError when it is cut off */
export function decodeExecution(answer: Hex): CallResult[] {
  const bytes = toBytes(answer);
  const array = readNumber(bytes, 0) + WORD;
  const count = readNumber(bytes, array - WORD);
  return Array.from({ length: count }, (_, index) => {
    const at = array + readNumber(bytes, array + index * WORD);
    const data = at + readNumber(bytes, at + 2 * WORD);
    const length = readNumber(bytes, data);
    return {
      ok: bytes.readUInt8(at + WORD - 1) === 1,
      gasUsed: bytes.readBigUInt64BE(at + 2 * WORD - 8),
      returnData: toHex(bytes.subarray(data + WORD, data + WORD + length)),
    };
  });
}

// The numbers are lengths, offsets and gas, all far below 2^32.

function writeNumber(bytes: Buffer, word: number, value: number): void {
  bytes.writeUInt32BE(value, word + WORD - 4);
}

function readNumber(bytes: Buffer, word: number): number {
  return bytes.readUInt32BE(word + WORD - 4);
}
