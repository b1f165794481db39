/**
 * What became of the bytes of a file: its text, or a sentence why it is none, or that it is text of another encoding.
 */
export type Decoded = { text: string } | { refusal: string } | { isOther: true };

/**
 * Encodings of spreadsheets that save no UTF-8, by the names of the Encoding Standard (WHATWG). The first is the usual
 * one.
 */
export const ENCODINGS = [
  { value: 'windows-1252', label: 'Windows-1252: Western Europe, the Americas' },
  { value: 'macintosh', label: 'Mac OS Roman: Excel for Mac' },
  { value: 'windows-1250', label: 'Windows-1250: Central Europe' },
  { value: 'windows-1251', label: 'Windows-1251: Cyrillic' },
  { value: 'windows-1253', label: 'Windows-1253: Greek' },
  { value: 'windows-1254', label: 'Windows-1254: Turkish' },
  { value: 'windows-1257', label: 'Windows-1257: Baltic' },
  { value: 'shift_jis', label: 'Shift JIS: Japanese' },
  { value: 'gb18030', label: 'GB 18030: Chinese, simplified' },
  { value: 'big5', label: 'Big5: Chinese, traditional' },
  { value: 'euc-kr', label: 'EUC-KR: Korean' },
] as const;

const SAVE_AS = 'Save it as “CSV UTF-8” and drop that file.';
/** First bytes of files that are taken for lists. */
const SIGNATURES: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a workbook or an archive (.xlsx, .ods, .numbers, .zip)'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old workbook (.xls)'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF'],
  [[0x1f, 0x8b], 'packed (.gz)'],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'a rich text (.rtf)'],
];
const WIDE = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
/** None of them is in a text: they are what bytes of another kind look like. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/;

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte);

/** Reads a file strictly: as UTF-8, or as UTF-16 that says so. No byte is replaced by another letter. */
export function decodeFile(bytes: Uint8Array): Decoded {
  if (bytes.length === 0) return { refusal: 'The file is empty.' };
  const known = SIGNATURES.find(([mark]) => startsWith(bytes, mark));
  if (known) return { refusal: `The file is ${known[1]} and no list as text. ${SAVE_AS}` };
  const wide = WIDE.find(({ mark }) => startsWith(bytes, mark));
  const text = decodeAs(bytes, wide?.encoding ?? 'utf-8');
  if (text === null) {
    return wide || bytes.includes(0)
      ? { refusal: `The file is no text: some of its bytes are no letters. ${SAVE_AS}` }
      : { isOther: true };
  }
  if (text.trim() === '') return { refusal: 'The file is empty.' };
  if (/^\s*</.test(text))
    return { refusal: `The file is a page or a feed (HTML, XML) and no list. ${SAVE_AS}` };
  if (/^\s*[[{]/.test(text)) return { refusal: `The file is JSON and no list with rows. ${SAVE_AS}` };
  return { text };
}

/** @returns the text without a mark of its encoding; null when some bytes are no letters of it */
export function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return CONTROLS.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** The first lines with letters beyond ASCII, by which people see whether the encoding is right. */
export function sampleOf(text: string, count = 5): string[] {
  return text
    .split(/[\r\n]+/)
    .filter((line) => /[^ -~\t]/.test(line))
    .slice(0, count);
}
