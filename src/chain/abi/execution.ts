import { Interface } from 'ethers';
import { operatorAbi } from '../../../generated/contracts.ts';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * The ABI of `Operator.execute`, written out by hand: batches of hundreds of calls pass here several times each, and a
 * general coder spent half of the service's time on them. test/chain/execution.test.ts compares it with ethers.
 */

/** One call of `Operator.execute`. Gas in gas. */
export interface OperatorCall {
  target: Hex;
  gasCap: number;
  intent: bigint;
  data: Hex;
}

/** What became of one call. After a success in an event, `returnData` is its first word and `gasUsed` is 0. */
export interface CallResult {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
}

const WORD = 32;
const SELECTOR = toBytes(new Interface(operatorAbi).getFunction('execute')!.selector);
/** target, gasCap, intent, offset of data, length of data. */
const CALL_WORDS = 5;

const padded = (length: number): number => Math.ceil(length / WORD) * WORD;

/** Calldata of `Operator.execute`. */
export function encodeExecution(calls: readonly OperatorCall[]): Hex {
  const lengths = calls.map(({ data }) => (data.length - 2) / 2);
  const heads = (2 + calls.length) * WORD;
  const size = lengths.reduce((sum, length) => sum + CALL_WORDS * WORD + padded(length), heads);
  const bytes = Buffer.alloc(SELECTOR.length + size);
  SELECTOR.copy(bytes);
  const body = bytes.subarray(SELECTOR.length);
  writeNumber(body, 0, WORD);
  writeNumber(body, WORD, calls.length);
  let at = heads;
  calls.forEach(({ target, gasCap, intent, data }, index) => {
    // Offsets of a dynamic array's elements count from behind its length.
    writeNumber(body, (2 + index) * WORD, at - 2 * WORD);
    body.write(target.slice(2), at + 12, 'hex');
    writeNumber(body, at + WORD, gasCap);
    body.writeBigUInt64BE(intent, at + 3 * WORD - 8);
    writeNumber(body, at + 3 * WORD, 4 * WORD);
    writeNumber(body, at + 4 * WORD, lengths[index]!);
    body.write(data.slice(2), at + CALL_WORDS * WORD, 'hex');
    at += CALL_WORDS * WORD + padded(lengths[index]!);
  });
  return toHex(bytes);
}

/** What a simulated `Operator.execute` answered, one result a call. @throws RangeError when it is cut off. */
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

/** Numbers here are lengths, offsets and gas: far below 2^32. */
const writeNumber = (bytes: Buffer, word: number, value: number): void => {
  bytes.writeUInt32BE(value, word + WORD - 4);
};
const readNumber = (bytes: Buffer, word: number): number => bytes.readUInt32BE(word + WORD - 4);
