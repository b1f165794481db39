import type { Hex } from '../../lib/hex.ts';

/*
 * Encodes keyed metadata by hand: a batch has some hundred values, and the general coder of ethers keeps a core busy
 * for tens of milliseconds with one, before anybody knows whether it is accepted. test/chain/entries.test.ts compares
 * the two.
 */

/** One key of keyed metadata, with the number of its kind. */
interface Tuple {
  key: string;
  value: Hex;
  kind: number;
}

const WORD_BYTES = 32;

/** Returns a value as one word of the ABI, without 0x, as all these functions do. */
export function word(hexDigits: string): string {
  return hexDigits.padStart(2 * WORD_BYTES, '0');
}

/** Returns a number as one word. */
export function numberWord(value: number | bigint): string {
  return word(value.toString(16));
}

/** Returns a list of values whose sizes differ: their number, where each begins, and the values. */
export function encodeList(values: readonly string[]): string {
  let at = values.length * WORD_BYTES;
  const offsets = values.map((value) => {
    const offset = numberWord(at);
    at += value.length / 2;
    return offset;
  });
  return [numberWord(values.length), ...offsets, ...values].join('');
}

/** Returns entries as the list of tuples that every function with metadata takes. */
export function encodeEntries(entries: readonly Tuple[]): string {
  return encodeList(entries.map(encodeEntry));
}

function encodeEntry({ key, value, kind }: Tuple): string {
  const name = encodeBytes(Buffer.from(key).toString('hex'));
  const begin = 3 * WORD_BYTES;
  return [
    ...[numberWord(begin), numberWord(begin + name.length / 2), numberWord(kind)],
    ...[name, encodeBytes(value.slice(2))],
  ].join('');
}

/** Returns the length and the bytes, filled up to whole words. */
function encodeBytes(hexDigits: string): string {
  const words = Math.ceil(hexDigits.length / (2 * WORD_BYTES));
  return numberWord(hexDigits.length / 2) + hexDigits.padEnd(words * 2 * WORD_BYTES, '0');
}
