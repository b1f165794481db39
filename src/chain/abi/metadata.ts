import { AbiCoder } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import { encodeEntries, numberWord } from './entries.ts';
import { DESCRIPTOR, ERC721 } from './interfaces.ts';
import type { View } from './view.ts';

const SET_METADATA = ERC721.getFunction('setMetadata')!.selector;
const SET_CONTRACT_METADATA = ERC721.getFunction('setContractMetadata')!.selector;

/** How a value is rendered in JSON. */
export const KINDS = { string: 0, number: 1, boolean: 2 } as const;

/** One key of keyed metadata on the chain. */
export interface Entry {
  key: string;
  /** UTF-8 text, whatever the kind. */
  value: Hex;
  kind: (typeof KINDS)[keyof typeof KINDS];
}

/** Returns calldata that replaces the whole metadata of an NFT. */
export function encodeSetMetadata(tokenId: bigint, entries: readonly Entry[]): Hex {
  return `${SET_METADATA}${numberWord(tokenId)}${numberWord(64)}${encodeEntries(entries)}` as Hex;
}

/** Returns calldata that replaces the whole metadata of a contract of either type. */
export function encodeSetContractMetadata(entries: readonly Entry[]): Hex {
  return `${SET_CONTRACT_METADATA}${numberWord(32)}${encodeEntries(entries)}` as Hex;
}

/** Returns the bytes of keys and values together. */
export function sizeOfEntries(entries: readonly Entry[]): number {
  return entries.reduce((size, { key, value }) => size + Buffer.byteLength(key) + (value.length - 2) / 2, 0);
}

/** Estimates the gas to write metadata, events included. The estimate fills a batch before its simulation. */
export function estimateMetadataGas(entries: readonly Entry[]): number {
  return entries.length === 0 ? 0 : 60_000 + entries.length * 4_500 + sizeOfEntries(entries) * 240;
}

// A view without a token id reads the metadata of the contract.

/** Returns the view of the entries. */
export function entriesView(tokenId: bigint | null): View<Entry[]> {
  const data =
    tokenId === null
      ? ERC721.encodeFunctionData('contractMetadataEntries')
      : ERC721.encodeFunctionData('entries', [tokenId]);
  return { data: data as Hex, decode: decodeEntries };
}

const coder = AbiCoder.defaultAbiCoder();

/** Keys are read as bytes: the owner of a contract may write what is no UTF-8, which becomes U+FFFD here. */
const toKey = (bytes: Hex): string => Buffer.from(bytes.slice(2), 'hex').toString();

function decodeEntries(answer: Hex): Entry[] {
  const entries = coder.decode(['(bytes,bytes,uint8)[]'], answer)[0] as [Hex, Hex, bigint][];
  return entries.map(([key, value, kind]) => ({
    key: toKey(key),
    value,
    kind: Number(kind) as Entry['kind'],
  }));
}

/** Returns the view of the keys in the order of the chain. */
export function keysView(tokenId: bigint | null): View<string[]> {
  const data =
    tokenId === null
      ? ERC721.encodeFunctionData('metadataKeys()')
      : ERC721.encodeFunctionData('metadataKeys(uint256)', [tokenId]);
  return { data: data as Hex, decode: decodeKeys };
}

function decodeKeys(answer: Hex): string[] {
  return (coder.decode(['bytes[]'], answer)[0] as Hex[]).map(toKey);
}

/** Returns the view of the URI of the JSON: a data URI, or one under the base URI of the contract. */
export function uriView(tokenId: bigint | null): View<string> {
  const data =
    tokenId === null
      ? ERC721.encodeFunctionData('contractURI')
      : ERC721.encodeFunctionData('tokenURI', [tokenId]);
  return { data: data as Hex, decode: decodeUri };
}

/**
 * Returns the view of the descriptor that renders this metadata, for an NFT of a contract or for the contract itself.
 */
export function renderingView(
  { name, symbol }: { name: string; symbol: string },
  tokenId: bigint | null,
  entries: readonly Entry[],
): View<string> {
  const layout = entries.map(({ key, value, kind }) => [key, value, kind]);
  const data =
    tokenId === null
      ? DESCRIPTOR.encodeFunctionData('contractURI', [name, symbol, layout])
      : DESCRIPTOR.encodeFunctionData('tokenURI', [name, symbol, tokenId, layout]);
  return { data: data as Hex, decode: decodeUri };
}

function decodeUri(answer: Hex): string {
  return ERC721.decodeFunctionResult('tokenURI', answer)[0] as string;
}

/** Decodes the answer to `uriView` as bytes, which need not be UTF-8. @throws Error when it is no text */
export function decodeUriBytes(answer: Hex): Hex {
  return coder.decode(['bytes'], answer)[0] as Hex;
}
