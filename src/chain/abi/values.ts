import type { ParamType } from 'ethers';
import { toBytes, toHex } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';

/*
 * Decodes data that anybody may have put on the chain, in time linear in its length. The general coder of ethers copies
 * the remaining data for each element: a batch of a thousand calls took seconds. Text is returned as bytes, since
 * nothing obliges it to be UTF-8. test/chain/decode.test.ts compares the two.
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
/** Items decoded of one list. */
export const MAX_ITEMS = 100;

/** Decodes values of these types, by name. @throws RangeError when the data is not such values */
export function readFields(types: readonly ParamType[], data: Hex): Field[] {
  const bytes = toBytes(data);
  // A valid encoding is read once. Overlapping offsets could make a small input decode to a huge value.
  return readTuple({ bytes, budget: bytes.length }, types, 0);
}

interface Source {
  bytes: Buffer;
  /** Bytes that may still be read. */
  budget: number;
}

function take(source: Source, at: number, size: number): Buffer {
  source.budget -= size;
  if (source.budget < 0 || at + size > source.bytes.length) throw new RangeError('the data ends too early');
  return source.bytes.subarray(at, at + size);
}

function takeNumber(source: Source, at: number): bigint {
  return BigInt(`0x${take(source, at, WORD).toString('hex')}`);
}

/** Reads an offset or a length, which cannot exceed the length of the data. */
function takeSize(source: Source, at: number): number {
  const size = takeNumber(source, at);
  if (size > source.bytes.length) throw new RangeError('the data ends too early');
  return Number(size);
}

function isDynamic(type: ParamType): boolean {
  return (
    type.baseType === 'string' ||
    type.baseType === 'bytes' ||
    (type.isArray() && (type.arrayLength === -1 || isDynamic(type.arrayChildren))) ||
    (type.isTuple() && type.components.some(isDynamic))
  );
}

/** Returns the bytes that a value takes in the head. A dynamic value has its offset there. */
function headSize(type: ParamType): number {
  if (isDynamic(type)) return WORD;
  if (type.isArray()) return type.arrayLength * headSize(type.arrayChildren);
  if (type.isTuple()) return type.components.reduce((size, part) => size + headSize(part), 0);
  return WORD;
}

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
    // ERC-8048 declares the text values of keyed metadata as `bytes`.
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
