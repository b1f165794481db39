import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { numberWord, word } from './entries.ts';
import { EXECUTE, SELECTOR_BYTES } from './execution.ts';
import type { OperatorCall } from './execution.ts';
import { OPERATOR } from './interfaces.ts';
import { encodeErc20Mint, encodeErc721Mint, readMint } from './mint.ts';
import type { Mint } from './mint.ts';

/*
 * Encodes and decodes `Operator.executeMints`, which does what `execute` does with plain mints, for less calldata and
 * fewer logs. Its list has one after the other: how many tokens (1 byte); of each its address (20 bytes), gas cap (4
 * bytes), and bytes of an amount (1 byte); of each mint the index of the token (1 byte), number less the first one (2
 * bytes), the client's key (8 bytes), recipient (20 bytes), amount (as many bytes as the token says).
 */

/** The function of the Operator that runs plain mints for less. */
export const EXECUTE_MINTS = OPERATOR.getFunction('executeMints')!;

/** Below this many calls `execute` costs less. */
const MIN_MINTS = 2;
const MAX_TARGETS = 255;
/** By which a number may be above the first one. */
export const MAX_OFFSET = 0xffffn;
/** Above what the contract takes, and the most that is encoded. */
const MAX_GAS_CAP = 2 ** 32 - 1;
const MAX_NUMBER = 2n ** 64n - 1n;
const MAX_KEY = MAX_NUMBER;
/** The contract wants room for every offset below 2^64. */
const MAX_FIRST = MAX_NUMBER - MAX_OFFSET;
/** Epoch, first number, count, offset of the list. */
const HEAD_WORDS = 4;
const WORD_BYTES = 32;
const KEY_BYTES = 8;
/** Of an amount: more of them are no word. */
const MAX_AMOUNT_BYTES = 32;

interface Target {
  index: number;
  token: Hex;
  gasCap: number;
  /** 0 for ERC-721, which has no amounts. */
  amountBytes: number;
}

/**
 * Returns calldata of `Operator.executeMints` that does these calls of one epoch; null when `execute` costs less, or
 * when they are not such: plain mints of at most 255 tokens, with one gas cap a token and numbers within 2^16.
 */
export function encodeMints(epoch: bigint, calls: readonly OperatorCall[]): Hex | null {
  if (calls.length < MIN_MINTS || calls.length > Number(MAX_OFFSET)) return null;
  const mints: Mint[] = [];
  for (const { data } of calls) {
    const mint = readMint(data);
    if (!mint) return null;
    mints.push(mint);
  }
  const targets = findTargets(calls, mints);
  const first = calls.reduce((least, { number }) => (number < least ? number : least), calls[0]!.number);
  const isFar = calls.some(({ number }) => number - first > MAX_OFFSET);
  if (!targets || isFar || first > MAX_FIRST) return null;
  const list = calls.map(({ target, number, key }, index) =>
    encodeMint(targets.get(target)!, mints[index]!, { offset: number - first, key }),
  );
  return `${EXECUTE_MINTS.selector}${encodeArguments({ epoch, first, targets: [...targets.values()], list })}` as Hex;
}

function findTargets(calls: readonly OperatorCall[], mints: readonly Mint[]): Map<Hex, Target> | null {
  const targets = new Map<Hex, Target>();
  for (const [index, { target: token, gasCap }] of calls.entries()) {
    const amountBytes = countBytes(mints[index]!.amount);
    const known = targets.get(token);
    if (!known) targets.set(token, { index: targets.size, token, gasCap, amountBytes });
    else if (known.gasCap !== gasCap || (known.amountBytes === 0) !== (amountBytes === 0)) return null;
    else known.amountBytes = Math.max(known.amountBytes, amountBytes);
  }
  return targets.size <= MAX_TARGETS ? targets : null;
}

/** At least one, for none means that there is no amount. */
const countBytes = (amount: bigint | null): number =>
  amount === null ? 0 : Math.ceil(amount.toString(16).length / 2);

function encodeMint(
  { index, amountBytes }: Target,
  { to, amount }: Mint,
  { offset, key }: { offset: bigint; key: bigint },
): string {
  const fixed = digits(index, 1) + digits(offset, 2) + digits(key, KEY_BYTES) + to.slice(2);
  return amount === null ? fixed : fixed + digits(amount, amountBytes);
}

const digits = (value: number | bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');

function encodeArguments({
  epoch,
  first,
  targets,
  list,
}: {
  epoch: bigint;
  first: bigint;
  targets: readonly Target[];
  list: readonly string[];
}): string {
  const tokens = targets.map(
    ({ token, gasCap, amountBytes }) => token.slice(2) + digits(gasCap, 4) + digits(amountBytes, 1),
  );
  const bytes = [digits(targets.length, 1), ...tokens, ...list].join('');
  const words = Math.ceil(bytes.length / (2 * WORD_BYTES));
  const head = [epoch, first, list.length, HEAD_WORDS * WORD_BYTES, bytes.length / 2].map(numberWord);
  return head.join('') + bytes.padEnd(words * 2 * WORD_BYTES, '0');
}

/** A batch as calldata says it: the same for both functions of the Operator that run one. */
export interface DecodedBatch {
  epoch: bigint;
  calls: OperatorCall[];
}

/**
 * Decodes calldata of `execute` or `executeMints`; null for any other, and for calls with a gas cap or a number that
 * the contract takes from nobody.
 */
export function decodeBatch(calldata: Hex): DecodedBatch | null {
  try {
    const batch = decodeAny(calldata);
    const isPossible = batch?.calls.every(
      ({ gasCap, number, key }) => gasCap <= MAX_GAS_CAP && number <= MAX_NUMBER && key <= MAX_KEY,
    );
    return isPossible ? batch : null;
  } catch {
    return null;
  }
}

function decodeAny(calldata: Hex): DecodedBatch | null {
  if (calldata.startsWith(EXECUTE.selector)) return decodeCalls(calldata);
  return calldata.startsWith(EXECUTE_MINTS.selector) ? decodeMints(calldata) : null;
}

/**
 * Whether the calls of `execute` have more data together than the calldata has: they lie in each other, and what
 * decodes them would take gigabytes.
 */
function isInflated(calldata: Hex): boolean {
  const bytes = toBytes(calldata).subarray(SELECTOR_BYTES);
  const wordAt = (at: number): number => {
    const word = bytes.subarray(at, at + WORD_BYTES);
    return word.length < WORD_BYTES ? Infinity : Number(BigInt(toHex(word)));
  };
  const list = wordAt(WORD_BYTES);
  const [count, first] = [wordAt(list), list + WORD_BYTES];
  let size = WORD_BYTES * count;
  for (let index = 0; index < count && size <= bytes.length; index += 1) {
    const call = first + wordAt(first + WORD_BYTES * index);
    size += wordAt(call + wordAt(call + 3 * WORD_BYTES));
  }
  return !(size <= bytes.length);
}

/** @throws Error when they are no calls */
function decodeCalls(calldata: Hex): DecodedBatch {
  if (isInflated(calldata)) throw new Error('the calls lie in each other');
  const [epoch, calls] = OPERATOR.decodeFunctionData(EXECUTE, calldata).toArray(true) as [
    bigint,
    [string, bigint, bigint, Hex][],
  ];
  return {
    epoch,
    calls: calls.map(([target, gasCap, number, data]) => ({
      target: target.toLowerCase() as Hex,
      gasCap: Number(gasCap),
      number: number & MAX_NUMBER,
      key: number >> 64n,
      data,
    })),
  };
}

/**
 * @throws Error when the list ends before its last mint: the contract reads zeros there, which nobody writes on purpose
 */
function decodeMints(calldata: Hex): DecodedBatch {
  const [epoch, first, count, list] = OPERATOR.decodeFunctionData(EXECUTE_MINTS, calldata).toArray() as [
    ...[bigint, bigint, bigint],
    Hex,
  ];
  const bytes = toBytes(list);
  let at = 0;
  const take = (length: number): Hex => {
    const taken = bytes.subarray(at, at + length);
    if (taken.length < length) throw new Error('the list is too short');
    at += length;
    return toHex(taken);
  };
  const targets = Array.from({ length: Number(take(1)) }, () => {
    const [token, gasCap, amountBytes] = [take(20), Number(take(4)), Number(take(1))];
    if (amountBytes > MAX_AMOUNT_BYTES) throw new Error('the amounts are too long');
    return { token, gasCap, amountBytes };
  });
  const calls = Array.from({ length: Number(count) }, () => {
    const { token: target, gasCap, amountBytes } = targets[Number(take(1))]!;
    const number = first + BigInt(take(2));
    const key = BigInt(take(KEY_BYTES));
    const to = take(20);
    const data = amountBytes === 0 ? encodeErc721Mint(to) : encodeErc20Mint(to, BigInt(take(amountBytes)));
    return { target, gasCap, number, key, data };
  });
  return { epoch, calls };
}

/**
 * What the event of several mints says of one of them: its number without the epoch, gas, the first word returned, and
 * its key.
 */
interface PackedResult {
  bit: number;
  gasUsed: bigint;
  returnData: Hex;
  key: bigint;
}

/** Gas, the first word returned, the client's key. */
const PACKED_BYTES = 20;
const GAS_BYTES = 4;
const RESULT_BYTES = 8;

/**
 * Reads the data of `MintsExecuted` (a word of bits, then `bytes` with a result for each) in the order of the bits.
 * @throws RangeError when there are too few
 */
export function readPackedResults(data: Hex): PackedResult[] {
  const bytes = toBytes(data);
  const mask = bytes.subarray(0, WORD_BYTES);
  // Behind the offset of the only value of unknown length: how long it is, and its bytes.
  const length = Number(`0x${bytes.toString('hex', 2 * WORD_BYTES, 3 * WORD_BYTES)}`);
  const results = bytes.subarray(3 * WORD_BYTES, 3 * WORD_BYTES + length);
  const read: PackedResult[] = [];
  for (let bit = 0; bit < WORD_BYTES * 8; bit += 1) {
    if (((mask[WORD_BYTES - 1 - (bit >> 3)]! >> (bit & 7)) & 1) === 0) continue;
    const at = read.length * PACKED_BYTES;
    const gasUsed = BigInt(results.readUInt32BE(at));
    const value = results.toString('hex', at + GAS_BYTES, at + GAS_BYTES + RESULT_BYTES);
    const key = results.readBigUInt64BE(at + GAS_BYTES + RESULT_BYTES);
    read.push({ bit, gasUsed, returnData: `0x${word(value)}`, key });
  }
  return read;
}
