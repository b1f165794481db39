import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { byteLength } from '../../../parts/bytes.ts';
import { entriesOf } from '../../../parts/metadata/metadata-rules.ts';
import type { Item } from './read-list.ts';

/** One request of a list. */
export interface Part {
  items: readonly Item[];
  /** Of its first item in the list, from 1. */
  first: number;
}

/** As the contract has it. */
const MAX_ITEMS = 100;
/**
 * A batch has to fit into 14,000,000 gas and 100,000 bytes of calldata. What is counted here is more than the contracts
 * need, so that no part is refused once others are minted.
 */
const MAX_GAS = 11_000_000;
const MAX_CALLDATA = 90_000;
const GAS = { item: 60_000, metadata: 60_000, entry: 5_000, byte: 240 };
const CALLDATA = { item: 128, entry: 224 };

/** Splits a list into requests. The same list is always split alike: the parts' keys depend on it. */
export function splitList(items: readonly Item[]): Part[] {
  const parts: { items: Item[]; first: number }[] = [];
  let gas = 0;
  let calldata = 0;
  items.forEach((item, index) => {
    const weight = weigh(item);
    const last = parts.at(-1);
    const fits =
      last !== undefined &&
      last.items.length < MAX_ITEMS &&
      gas + weight.gas <= MAX_GAS &&
      calldata + weight.calldata <= MAX_CALLDATA;
    if (fits) {
      last.items.push(item);
      gas += weight.gas;
      calldata += weight.calldata;
      return;
    }
    parts.push({ items: [item], first: index + 1 });
    ({ gas, calldata } = weight);
  });
  return parts;
}

function weigh({ metadata }: Item): { gas: number; calldata: number } {
  if (!metadata) return { gas: GAS.item, calldata: CALLDATA.item };
  const entries = entriesOf(metadata);
  const bytes = entries.reduce((size, [key, text]) => size + byteLength(key) + byteLength(text), 0);
  return {
    gas: GAS.item + GAS.metadata + entries.length * GAS.entry + bytes * GAS.byte,
    calldata: CALLDATA.item + entries.length * CALLDATA.entry + bytes,
  };
}

/**
 * What names a list in its Idempotency-Keys: the collection and the SHA-256 of the text. Line ends and white space around
 * the text do not count, since pasting changes them.
 */
export function nameList(address: string, text: string): string {
  const plain = text.replaceAll(/\r\n?/g, '\n').trim();
  return bytesToHex(sha256(utf8ToBytes(`${address.toLowerCase()}\n${plain}`)));
}

/**
 * The Idempotency-Key of a part. Its attempt counts up when one was accepted and then failed on the chain: that outcome is
 * what its key answers from then on.
 */
export function keyOf(list: string, part: number, attempt: number): string {
  return `list-${list}-${part + 1}-${attempt + 1}`;
}
