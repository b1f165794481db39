import type { Hex } from '../../lib/hex.ts';

/**
 * Characters that show nothing or rearrange what stands around them: controls, bidirectional and other format
 * characters, separators of lines, private and unassigned ones. Kept is the joiner that makes one emoji of two.
 */
const INVISIBLE =
  /((?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=\p{Extended_Pictographic}))|[\p{C}\p{Zl}\p{Zp}]/gu;
/** Combining marks, which in great numbers would cover the lines above and below. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
const MAX_CHARACTERS = 200;

function nameOf(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/**
 * Makes text from anywhere fit to be shown, yet to be escaped: invisible characters are named, long text is cut.
 * @param most characters to keep
 */
export function showText(text: string, most = MAX_CHARACTERS): string {
  // Cut first: no later step has to read megabytes.
  const kept = [...text.slice(0, 2 * most)].slice(0, most).join('');
  const shown = kept
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(INVISIBLE, (character, joiner?: string) => joiner ?? nameOf(character))
    .replaceAll(PILED_MARKS, '$1');
  return kept.length < text.length ? `${shown}… (${text.length} characters)` : shown;
}

/** The same for bytes that are meant to be UTF-8; what is none becomes U+FFFD. */
export function showBytesAsText(bytes: Hex): string {
  return showText(Buffer.from(bytes.slice(2), 'hex').toString());
}
