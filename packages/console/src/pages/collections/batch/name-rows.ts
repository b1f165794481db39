import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Item, ReadList } from './read-list.ts';

/** A row of a list, which is minted once. */
export interface Row {
  item: Item;
  /** As a spreadsheet counts. */
  row: number;
  /** Names it in its Idempotency-Keys, and in what the browser keeps of it. */
  name: string;
}

/**
 * Names each row by what it mints: the collection, its content, and which of those with that content it is. So a row
 * keeps its name when others are corrected, added, taken out or sorted, and when the file is saved in another form.
 * @param round counts up where somebody wants everything that is minted once more
 */
export function nameRows(
  address: string,
  { items, rows }: Pick<ReadList, 'items' | 'rows'>,
  round: number,
): Row[] {
  const seen = new Map<string, number>();
  return items.map((item, at) => {
    const content = contentOf(item);
    const occurrence = (seen.get(content) ?? 0) + 1;
    seen.set(content, occurrence);
    const text = JSON.stringify([address.toLowerCase(), content, occurrence, round]);
    return { item, row: rows[at]!, name: bytesToHex(sha256(utf8ToBytes(text))) };
  });
}

function contentOf({ to, metadata }: Item): string {
  if (!metadata) return JSON.stringify([to.toLowerCase()]);
  const { name, description, image, attributes = {} } = metadata;
  const entries = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([to.toLowerCase(), name, description, image ?? null, entries]);
}

/**
 * The Idempotency-Key of a row. Its attempt counts up when one was accepted and then failed on the chain: that outcome
 * is what its key answers from then on.
 */
export function keyOf(name: string, attempt: number): string {
  return `row-${name}-${attempt + 1}`;
}
