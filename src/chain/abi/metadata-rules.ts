import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import { parseExactly } from '../../lib/json-number.ts';
import { KINDS, sizeOfEntries } from './metadata.ts';
import type { Entry } from './metadata.ts';

type AttributeValue = string | number | boolean;

/** Keyed metadata as a caller gives it. */
export interface MetadataInput {
  name: string;
  description: string;
  /** An ipfs, http or https URI. */
  image?: string | undefined;
  attributes?: Record<string, AttributeValue> | undefined;
}

/** Keyed metadata as it is read; null for a key that is not set. */
export interface Metadata {
  name: string | null;
  description: string | null;
  image: string | null;
  attributes: Record<string, AttributeValue>;
}

/*
 * The rules of keyed metadata: which keys, how long, in which order. metadata.ts encodes the entries that result.
 */

const MAX_ATTRIBUTES = 13;
const MAX_KEY_BYTES = 64;
const MAX_ATTRIBUTE_BYTES = 1_024;
const MAX_FIELD_BYTES = { name: 256, description: 2_048, image: 2_048 };
const MAX_TOTAL_BYTES = 8_192;
const IMAGE = /^(?:ipfs|https?):\/\/\S+$/i;

function refusal(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

function toValue(text: string): Hex {
  return `0x${Buffer.from(text).toString('hex')}`;
}

function toText(value: Hex): string {
  return Buffer.from(value.slice(2), 'hex').toString();
}

function isField(key: string): key is keyof typeof MAX_FIELD_BYTES {
  return Object.hasOwn(MAX_FIELD_BYTES, key);
}

/**
 * Returns the layout of the contract: `name`, `description`, `image` if given, then the attributes by the bytes of
 * their keys.
 * @param place path of the metadata in the request, such as `items[3].metadata.`
 * @throws AppError VALIDATION_ERROR that names the field which breaks a rule
 */
export function toEntries(input: MetadataInput, place = ''): Entry[] {
  const attributes = Object.entries(input.attributes ?? {});
  if (attributes.length > MAX_ATTRIBUTES) {
    throw refusal(`${place}attributes has more than ${MAX_ATTRIBUTES} keys`);
  }
  const entries = [
    ...(['name', 'description', 'image'] as const).flatMap((field) => fieldEntry(input, field, place)),
    ...attributes
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .map(([key, value]) => attributeEntry(key, value, `${place}attributes.`)),
  ];
  if (sizeOfEntries(entries) > MAX_TOTAL_BYTES) {
    throw refusal(
      `${place ? place.slice(0, -1) : 'The metadata'} is longer than ${MAX_TOTAL_BYTES} bytes in UTF-8, keys and values together`,
    );
  }
  return entries;
}

function fieldEntry(input: MetadataInput, field: keyof typeof MAX_FIELD_BYTES, place: string): Entry[] {
  const text = input[field];
  if (text === undefined) return [];
  if (field === 'image' && !IMAGE.test(text))
    throw refusal(`${place}image must be an ipfs, http or https URI`);
  if (Buffer.byteLength(text) > MAX_FIELD_BYTES[field]) {
    throw refusal(`${place}${field} is longer than ${MAX_FIELD_BYTES[field]} bytes in UTF-8`);
  }
  return [{ key: field, value: toValue(text), kind: KINDS.string }];
}

function attributeEntry(key: string, value: AttributeValue, place: string): Entry {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw refusal(`Every key of ${place.slice(0, -1)} has 1 to ${MAX_KEY_BYTES} bytes in UTF-8`);
  }
  if (isField(key)) throw refusal(`${place}${key} is a reserved key; use the field of that name`);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refusal(`${place}${key} is too large a number`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_ATTRIBUTE_BYTES) {
    throw refusal(`${place}${key} is longer than ${MAX_ATTRIBUTE_BYTES} bytes in UTF-8`);
  }
  return { key, value: toValue(text), kind: KINDS[typeof value as keyof typeof KINDS] };
}

/**
 * Returns a layout as callers read it. A value that is not of its kind (number, boolean), or a number that a double
 * cannot hold, is given as text.
 */
export function fromEntries(entries: readonly Entry[]): Metadata {
  const texts = new Map(entries.map(({ key, value }) => [key, toText(value)]));
  return {
    name: texts.get('name') ?? null,
    description: texts.get('description') ?? null,
    image: texts.get('image') ?? null,
    attributes: Object.fromEntries(
      entries.flatMap(({ key, value, kind }) =>
        isField(key) ? [] : [[key, readValue(toText(value), kind)]],
      ),
    ),
  };
}

function readValue(text: string, kind: number): AttributeValue {
  if (kind === KINDS.string) return text;
  try {
    const value = parseExactly(text);
    const expected = kind === KINDS.number ? 'number' : 'boolean';
    return typeof value === expected ? (value as AttributeValue) : text;
  } catch {
    return text;
  }
}
