import type { ParamType } from 'ethers';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * Reads what anybody may have put on the chain, and in time that grows with its length alone: a general coder copies
 * what lies behind each element, which made a batch of a thousand calls cost seconds. Text stays the bytes that it is,
 * since nothing obliges it to be UTF-8. test/chain/decode.test.ts compares it with ethers.
 */

/** One value of a call, an event or an error. */
export type Value =
  | { kind: 'number'; value: bigint }
  | { kind: 'flag'; value: boolean }
  | { kind: 'address'; value: Hex }
  /** Meant to be UTF-8, but made by anybody. */
  | { kind: 'text'; value: Hex }
  | { kind: 'bytes'; value: Hex }
  /** The first items, and how many there are. */
  | { kind: 'list'; items: Value[]; count: number }
  | { kind: 'fields'; fields: Field[] };

export interface Field {
  name: string;
  value: Value;
}

const WORD = 32;
/** Items of one list that are read. */
const MAX_ITEMS = 100;

/** Values of these types, by name. @throws RangeError when the data cannot be such values */
export function readFields(types: readonly ParamType[], data: Hex): Field[] {
  const bytes = toBytes(data);
  // An encoding in good order reads no byte twice; one whose offsets overlap could make a little data a lot.
  return readTuple({ bytes, budget: bytes.length }, types, 0);
}

interface Source {
  bytes: Buffer;
  /** Bytes that may still be read. */
  budget: number;
}

function take(source: Source, at: number, size: number): Buffer {
  source.budget -= size;
  if (source.budget < 0 || at + size > source.bytes.length) throw new RangeError('more than there is');
  return source.bytes.subarray(at, at + size);
}

const takeNumber = (source: Source, at: number): bigint =>
  BigInt(`0x${take(source, at, WORD).toString('hex')}`);

/** An offset or a length, which cannot be larger than all there is. */
function takeSize(source: Source, at: number): number {
  const size = takeNumber(source, at);
  if (size > source.bytes.length) throw new RangeError('more than there is');
  return Number(size);
}

const isDynamic = (type: ParamType): boolean =>
  type.baseType === 'string' ||
  type.baseType === 'bytes' ||
  (type.isArray() && (type.arrayLength === -1 || isDynamic(type.arrayChildren))) ||
  (type.isTuple() && type.components.some(isDynamic));

/** Bytes of what stands in place; behind an offset lies what is dynamic. */
const headSize = (type: ParamType): number => {
  if (isDynamic(type)) return WORD;
  if (type.isArray()) return type.arrayLength * headSize(type.arrayChildren);
  if (type.isTuple()) return type.components.reduce((size, part) => size + headSize(part), 0);
  return WORD;
};

function readTuple(source: Source, types: readonly ParamType[], base: number): Field[] {
  let at = base;
  return types.map((type) => {
    const place = isDynamic(type) ? base + takeSize(source, at) : at;
    at += headSize(type);
    return { name: type.name, value: readValue(source, type, place) };
  });
}

function readValue(source: Source, type: ParamType, at: number): Value {
  if (type.isTuple()) return { kind: 'fields', fields: readTuple(source, type.components, at) };
  if (type.isArray()) return readList(source, type, at);
  if (type.baseType === 'string' || type.baseType === 'bytes') {
    const value = toHex(take(source, at + WORD, takeSize(source, at)));
    // Values of keyed metadata are text in `bytes`, as ERC-8048 has it.
    return { kind: type.baseType === 'string' || type.name === 'value' ? 'text' : 'bytes', value };
  }
  if (type.baseType === 'address')
    return { kind: 'address', value: toHex(take(source, at, WORD).subarray(12)) };
  if (type.baseType === 'bool') return { kind: 'flag', value: takeNumber(source, at) !== 0n };
  const size = /^bytes(\d+)$/.exec(type.baseType)?.[1];
  if (size) return { kind: 'bytes', value: toHex(take(source, at, WORD).subarray(0, Number(size))) };
  return { kind: 'number', value: takeNumber(source, at) };
}

function readList(source: Source, { arrayLength, arrayChildren }: ParamType, at: number): Value {
  const isOpen = arrayLength === -1;
  const count = isOpen ? takeSize(source, at) : arrayLength!;
  const base = isOpen ? at + WORD : at;
  const types = Array.from({ length: Math.min(count, MAX_ITEMS) }, () => arrayChildren!);
  return { kind: 'list', items: readTuple(source, types, base).map(({ value }) => value), count };
}
