import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { numberWord, word } from './entries.ts';
import type { OperatorCall } from './execution.ts';
import { OPERATOR } from './interfaces.ts';
import { encodeErc20Mint, encodeErc721Mint, readMint } from './mint.ts';
import type { Mint } from './mint.ts';

/*
 * Encodes and decodes `Operator.executeMints`, which does what `execute` does with plain mints, for less calldata and fewer
 * logs. Its list of mints has one after the other: index of the target (1 byte), number less the first one (2 bytes),
 * recipient (20 bytes), amount (as many bytes as the target says).
 */

const EXECUTE_MINTS = OPERATOR.getFunction('executeMints')!;
/** Below this many calls `execute` costs less. */
const MIN_MINTS = 2;
const MAX_TARGETS = 256;
const MAX_OFFSET = 0xffffn;
/** The contract wants room for every offset below 2^64. */
const MAX_FIRST = 2n ** 64n - 1n - MAX_OFFSET;
/** Epoch, first number, count, offset of the targets, offset of the list. */
const HEAD_WORDS = 5;
const WORD_BYTES = 32;
const FIXED_BYTES = 23;

interface Target {
  index: number;
  token: Hex;
  gasCap: number;
  /** 0 for ERC-721, which has no amounts. */
  amountBytes: number;
}

/**
 * Returns calldata of `Operator.executeMints` that does these calls of one epoch; null when they are not such, or when
 * `execute` costs less: plain mints of at most 256 tokens, with one gas cap a token and numbers within 2^16.
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
  const list = calls.map(({ target, number }, index) =>
    encodeMint(targets.get(target)!, mints[index]!, number - first),
  );
  return encodeCall({ epoch, first, targets: [...targets.values()], list });
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

function encodeMint({ index, amountBytes }: Target, { to, amount }: Mint, offset: bigint): string {
  const fixed = digits(index, 1) + digits(offset, 2) + to.slice(2);
  return amount === null ? fixed : fixed + digits(amount, amountBytes);
}

const digits = (value: number | bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, '0');

function encodeCall({
  epoch,
  first,
  targets,
  list,
}: {
  epoch: bigint;
  first: bigint;
  targets: readonly Target[];
  list: readonly string[];
}): Hex {
  const bytes = list.join('');
  const words = Math.ceil(bytes.length / (2 * WORD_BYTES));
  const targetsAt = HEAD_WORDS * WORD_BYTES;
  const listAt = targetsAt + (1 + 3 * targets.length) * WORD_BYTES;
  const head = [epoch, first, list.length, targetsAt, listAt, targets.length].map(numberWord);
  const body = targets.flatMap(({ token, gasCap, amountBytes }) => [
    ...[word(token.slice(2)), numberWord(gasCap), numberWord(amountBytes)],
  ]);
  const tail = numberWord(bytes.length / 2) + bytes.padEnd(words * 2 * WORD_BYTES, '0');
  return `${EXECUTE_MINTS.selector}${[...head, ...body, tail].join('')}` as Hex;
}

/** A batch as calldata says it: the same for both functions of the Operator that run one. */
export interface DecodedBatch {
  epoch: bigint;
  calls: OperatorCall[];
}

/** Decodes calldata of `Operator.execute` or `Operator.executeMints`; null for any other. */
export function decodeBatch(calldata: Hex): DecodedBatch | null {
  try {
    return calldata.startsWith(EXECUTE_MINTS.selector) ? decodeMints(calldata) : decodeCalls(calldata);
  } catch {
    return null;
  }
}

function decodeCalls(calldata: Hex): DecodedBatch {
  const [epoch, calls] = OPERATOR.decodeFunctionData('execute', calldata).toArray(true) as [
    bigint,
    [string, bigint, bigint, Hex][],
  ];
  return {
    epoch,
    calls: calls.map(([target, gasCap, number, data]) => ({
      target: target.toLowerCase() as Hex,
      gasCap: Number(gasCap),
      number,
      data,
    })),
  };
}

function decodeMints(calldata: Hex): DecodedBatch {
  const [epoch, first, count, targets, list] = OPERATOR.decodeFunctionData(EXECUTE_MINTS, calldata).toArray(
    true,
  ) as [bigint, bigint, bigint, [string, bigint, bigint][], Hex];
  // Past its end all is zero.
  const bytes = toBytes(list);
  let at = 0;
  const take = (length: number): string => {
    const taken = bytes
      .subarray(at, at + length)
      .toString('hex')
      .padEnd(2 * length, '0');
    at += length;
    return taken;
  };
  const calls = Array.from({ length: Number(count) }, () => {
    const fixed = take(FIXED_BYTES);
    const [token, gasCap, amountBytes] = targets[Number(`0x${fixed.slice(0, 2)}`)]!;
    const to: Hex = `0x${fixed.slice(6)}`;
    const data =
      amountBytes === 0n
        ? encodeErc721Mint(to)
        : encodeErc20Mint(to, BigInt(`0x${take(Number(amountBytes))}`));
    const number = first + BigInt(`0x${fixed.slice(2, 6)}`);
    return { target: token.toLowerCase() as Hex, gasCap: Number(gasCap), number, data };
  });
  return { epoch, calls };
}

/** What the event of several mints says of one of them: its number without the epoch, gas, and the first word returned. */
export interface PackedResult {
  bit: number;
  gasUsed: bigint;
  returnData: Hex;
}

const PACKED_BYTES = 12;
const GAS_BYTES = 4;
const WORD_BITS = 256;

/** Reads the results of `MintsExecuted`, in the order of the bits. @throws RangeError when there are too few */
export function readPackedResults(mask: bigint, results: Hex): PackedResult[] {
  const bytes = toBytes(results);
  const bits = Array.from({ length: WORD_BITS }, (_, bit) => bit).filter((bit) => (mask >> BigInt(bit)) & 1n);
  return bits.map((bit, index) => {
    const at = index * PACKED_BYTES;
    const gasUsed = BigInt(bytes.readUInt32BE(at));
    const value = toHex(bytes.subarray(at + GAS_BYTES, at + PACKED_BYTES));
    return { bit, gasUsed, returnData: `0x${word(value.slice(2))}` };
  });
}
