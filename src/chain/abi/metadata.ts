import { Interface } from 'ethers';
import { managedErc721Abi } from '../../../generated/contracts.ts';
import type { Hex } from '../../lib/hex.ts';
import { AppError } from '../../errors.ts';

/** What an attribute can be. */
export type AttributeValue = string | number | boolean;

/** Keyed metadata as a caller gives it. */
export interface MetadataInput {
  name: string;
  description: string;
  /** An ipfs, http or https URI. */
  image?: string | undefined;
  attributes?: Record<string, AttributeValue> | undefined;
}

/** Keyed metadata as it is read: null where a key is not set. */
export interface Metadata {
  name: string | null;
  description: string | null;
  image: string | null;
  attributes: Record<string, AttributeValue>;
}

/** One key of a layout on the chain. */
export interface Entry {
  key: string;
  /** UTF-8 text, whatever the kind. */
  value: Hex;
  /** 0 a string, 1 a number, 2 a boolean. */
  kind: 0 | 1 | 2;
}

const MAX_ATTRIBUTES = 13;
const MAX_KEY_BYTES = 64;
const MAX_ATTRIBUTE_BYTES = 1_024;
const MAX_FIELD_BYTES = { name: 256, description: 2_048, image: 2_048 };
const MAX_TOTAL_BYTES = 8_192;
const IMAGE = /^(?:ipfs|https?):\/\/\S+$/i;
const KINDS = { string: 0, number: 1, boolean: 2 } as const;

const refuse = (message: string): AppError => new AppError('VALIDATION_ERROR', message);
const sizeOf = (text: string): number => Buffer.byteLength(text);
const toValue = (text: string): Hex => `0x${Buffer.from(text).toString('hex')}`;
const toText = (value: string): string => Buffer.from(value.slice(2), 'hex').toString();
const isField = (key: string): key is keyof typeof MAX_FIELD_BYTES => Object.hasOwn(MAX_FIELD_BYTES, key);

/**
 * The layout of the contract: `name`, `description`, `image` if given, then the attributes by the bytes of their keys.
 * @throws AppError VALIDATION_ERROR that names the field (behind `place`, such as `items[3].metadata.`) which breaks a rule
 */
export function toEntries(input: MetadataInput, place = ''): Entry[] {
  const attributes = Object.entries(input.attributes ?? {});
  if (attributes.length > MAX_ATTRIBUTES) {
    throw refuse(`${place}attributes has more than ${MAX_ATTRIBUTES} keys`);
  }
  const entries = [
    ...(['name', 'description', 'image'] as const).flatMap((field) => fieldEntry(input, field, place)),
    ...attributes
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
      .map(([key, value]) => attributeEntry(key, value, `${place}attributes.`)),
  ];
  if (sizeOfEntries(entries) > MAX_TOTAL_BYTES) {
    throw refuse(
      `${place ? place.slice(0, -1) : 'The metadata'} is longer than ${MAX_TOTAL_BYTES} bytes in UTF-8, keys and values together`,
    );
  }
  return entries;
}

function fieldEntry(input: MetadataInput, field: keyof typeof MAX_FIELD_BYTES, place: string): Entry[] {
  const text = input[field];
  if (text === undefined) return [];
  if (field === 'image' && !IMAGE.test(text))
    throw refuse(`${place}image must be an ipfs, http or https URI`);
  if (sizeOf(text) > MAX_FIELD_BYTES[field]) {
    throw refuse(`${place}${field} is longer than ${MAX_FIELD_BYTES[field]} bytes in UTF-8`);
  }
  return [{ key: field, value: toValue(text), kind: KINDS.string }];
}

function attributeEntry(key: string, value: AttributeValue, place: string): Entry {
  if (key === '' || sizeOf(key) > MAX_KEY_BYTES) {
    throw refuse(`Every key of ${place.slice(0, -1)} has 1 to ${MAX_KEY_BYTES} bytes in UTF-8`);
  }
  if (isField(key)) throw refuse(`${place}${key} is a reserved key; use the field of that name`);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refuse(`${place}${key} is too large a number`);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (sizeOf(text) > MAX_ATTRIBUTE_BYTES) {
    throw refuse(`${place}${key} is longer than ${MAX_ATTRIBUTE_BYTES} bytes in UTF-8`);
  }
  return { key, value: toValue(text), kind: KINDS[typeof value as keyof typeof KINDS] };
}

/** Bytes of keys and values together. */
const sizeOfEntries = (entries: readonly Entry[]): number =>
  entries.reduce((size, { key, value }) => size + sizeOf(key) + (value.length - 2) / 2, 0);

/** A layout as callers read it. What is no JSON number or boolean, though its kind says so, is shown as text. */
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
    const value: unknown = JSON.parse(text);
    const expected = kind === KINDS.number ? 'number' : 'boolean';
    return typeof value === expected && value !== Infinity && value !== -Infinity
      ? (value as AttributeValue)
      : text;
  } catch {
    return text;
  }
}

const erc721 = new Interface(managedErc721Abi);
const toTuples = (entries: readonly Entry[]) => entries.map(({ key, value, kind }) => [key, value, kind]);

/** Calldata that replaces the whole layout of an NFT. */
export const encodeSetMetadata = (tokenId: bigint, entries: readonly Entry[]): Hex =>
  erc721.encodeFunctionData('setMetadata', [tokenId, toTuples(entries)]) as Hex;

/** Calldata that replaces the whole layout of a contract of either type. */
export const encodeSetContractMetadata = (entries: readonly Entry[]): Hex =>
  erc721.encodeFunctionData('setContractMetadata', [toTuples(entries)]) as Hex;

/** Calldata of an ERC-721 mint of the next id together with its layout. */
export const encodeMintWithMetadata = (to: string, entries: readonly Entry[]): Hex =>
  erc721.encodeFunctionData('mintWithMetadata', [to, toTuples(entries)]) as Hex;

/** One NFT of a batch; no entries for one without metadata. */
export interface BatchItem {
  to: string;
  entries: readonly Entry[];
}

/** Calldata of an ERC-721 mint of the next ids, all or nothing. */
export const encodeMintBatch = (items: readonly BatchItem[]): Hex =>
  erc721.encodeFunctionData('mintBatch', [items.map(({ to, entries }) => [to, toTuples(entries)])]) as Hex;

/** Gas of a call as a guess that fills a batch before its simulation: what a layout costs with its events. */
export const estimateMetadataGas = (entries: readonly Entry[]): number =>
  entries.length === 0 ? 0 : 60_000 + entries.length * 4_500 + sizeOfEntries(entries) * 240;

const MINT_GAS = 75_000;
const FURTHER_MINT_GAS = 30_000;

/** The same guess for a mint of these items in one call. */
export const estimateMintGas = (items: readonly BatchItem[]): number =>
  items.reduce(
    (gas, { entries }) => gas + FURTHER_MINT_GAS + estimateMetadataGas(entries),
    MINT_GAS - FURTHER_MINT_GAS,
  );

/** Calldata of the view that answers the layout of an NFT, or, without a token id, that of the contract. */
export const encodeEntriesView = (tokenId: bigint | null): Hex =>
  (tokenId === null
    ? erc721.encodeFunctionData('contractMetadataEntries')
    : erc721.encodeFunctionData('entries', [tokenId])) as Hex;

/** What that view answered. */
export function decodeEntries(answer: Hex): Entry[] {
  const [entries] = erc721.decodeFunctionResult('entries', answer) as unknown as [[string, Hex, bigint][]];
  return entries.map(([key, value, kind]) => ({ key, value, kind: Number(kind) as Entry['kind'] }));
}

/** Calldata of the view that answers the keys of an NFT, or the layout most recently written in the contract. */
export const encodeKeysView = (tokenId: bigint | null): Hex =>
  (tokenId === null
    ? erc721.encodeFunctionData('metadataKeys()')
    : erc721.encodeFunctionData('metadataKeys(uint256)', [tokenId])) as Hex;

/** What that view answered, in the order of the chain. */
export const decodeKeys = (answer: Hex): string[] => [
  ...(erc721.decodeFunctionResult('metadataKeys()', answer)[0] as string[]),
];

/** Calldata of the view that answers the URI of an NFT's JSON, or, without a token id, that of the contract. */
export const encodeUriView = (tokenId: bigint | null): Hex =>
  (tokenId === null
    ? erc721.encodeFunctionData('contractURI')
    : erc721.encodeFunctionData('tokenURI', [tokenId])) as Hex;

/** What that view answered: a data URI, or one under the base URI of the contract. */
export const decodeUri = (answer: Hex): string =>
  erc721.decodeFunctionResult('tokenURI', answer)[0] as string;

const NONEXISTENT_TOKEN = erc721.getError('ERC721NonexistentToken')!.selector;

/** A view refused since there is no NFT with this id. */
export const isNonexistentToken = (data: string | undefined): boolean =>
  data?.startsWith(NONEXISTENT_TOKEN) ?? false;
