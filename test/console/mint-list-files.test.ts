import { describe, expect, test } from '@jest/globals';
import {
  ENCODINGS,
  decodeAs,
  decodeFile,
  sampleOf,
} from '../../packages/console/src/pages/collections/batch/decode-file.ts';
import { readList } from '../../packages/console/src/pages/collections/batch/read-list.ts';

const A = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const B = '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF';
const C = '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...utf8(part)] : part)));
/** A text in UTF-16, without a mark. */
function wide(text: string, isLittle: boolean): number[] {
  const bytesOf = Buffer.from(text, 'utf16le');
  return [...(isLittle ? bytesOf : bytesOf.swap16())];
}

function textOf(file: Uint8Array): string {
  const decoded = decodeFile(file);
  if (!('text' in decoded)) throw new Error(JSON.stringify(decoded));
  return decoded.text;
}

const said = (text: string): string[] =>
  readList(text).bad.map(({ row, column, message }) => `${row} ${column}: ${message}`);

/** The forms of nine lists that are in use for airdrops, with values of our own. */
describe('a list in the form of', () => {
  test.each([
    ['addresses alone', utf8(`${A}\n${B}\n${C}\n`)],
    ['a snapshot: "address" as the heading', utf8(`address\r\n${A}\r\n${B.toLowerCase()}\r\n${C}`)],
    ['an airdrop tool: wallet, amount', utf8(`wallet,amount\n${A},1\n${B},1\n${C},1\n`)],
    [
      'Excel: a hint of the delimiter, a mark of UTF-8, CRLF',
      bytes([0xef, 0xbb, 0xbf], `sep=;\r\nRecipient;Amount\r\n${A};1\r\n${B};1\r\n${C};1\r\n`),
    ],
    ['a payout tool: no heading, two columns', utf8(`${A},1\n${B},1\n${C},1`)],
    ['Excel: columns that were emptied', utf8(`Wallet Address;;;\r\n${A};;;\r\n${B};;;\r\n${C};;;\r\n`)],
    [
      'Excel: Unicode text',
      bytes([0xff, 0xfe], wide(`recipient\tamount\r\n${A}\t1\r\n${B}\t1\r\n${C}\t1\r\n`, true)),
    ],
    [
      'an explorer: holders, everything in quotes',
      utf8(`"HolderAddress","Balance"\n"${A}","1"\n"${B}","1"\n"${C}","1"\n`),
    ],
  ])('%s is read', (_, file) => {
    expect(readList(textOf(file))).toMatchObject({ items: [{ to: A }, { to: B }, { to: C }], bad: [] });
  });

  test('a form of questions is read, its columns are attributes', () => {
    const text = `Timestamp,Name,Wallet,T-shirt\n2026-11-02 9:14,Zoë,${A},M\n2026-11-02 9:20,Ann,${B},\n`;
    expect(readList(textOf(utf8(text))).items).toEqual([
      {
        to: A,
        metadata: {
          name: 'Zoë',
          description: '',
          attributes: { 'T-shirt': 'M', Timestamp: '2026-11-02 9:14' },
        },
      },
      { to: B, metadata: { name: 'Ann', description: '', attributes: { Timestamp: '2026-11-02 9:20' } } },
    ]);
  });

  test.each([
    [
      'amounts of a token',
      `address,amount\n${A},12.5\n${B},1`,
      ['2 amount: has to be 1: one row is one NFT. Repeat the row, or take the column out'],
    ],
    [
      'a list without a heading and with names',
      `${A},Ann\n${B},Ben`,
      ['1 column 2: has no name: put a heading above the list that names its columns, like “to,name”'],
    ],
    [
      'addresses and amounts with a blank between',
      `${A} 1\n${B} 1`,
      [1, 2].map((row) => `${row} to: has something behind the address: put it into a column of its own`),
    ],
    ['names of ENS', 'wallet\nalice.eth', ['2 to: is a name: put the address there that it stands for']],
    [
      'an export of holders with columns that nobody needs',
      `"HolderAddress","Balance","PendingBalanceUpdate"\n"${A}","1","No"`,
      [
        '1 PendingBalanceUpdate: would be written to the chain, and an NFT with metadata needs a column “name”: add it, or take this one out',
      ],
    ],
  ])('%s is answered in words', (_, text, expected) => {
    expect(said(text)).toEqual(expected);
  });

  test('line ends of several kinds leave no carriage return anywhere', () => {
    const { items, bad } = readList(
      `to,name,description\r\n${A},A,"one\r\ntwo"\n${B},B,three\r${C},C,four\r\n`,
    );
    expect(bad).toEqual([]);
    expect(items.map(({ metadata }) => metadata?.description)).toEqual(['one\ntwo', 'three', 'four']);
    expect(JSON.stringify(items)).not.toContain('\\r');
  });

  test('numbers that a spreadsheet wrote stay what they are', () => {
    const { items } = readList(`to,name,code,weight\n${A},A,007,0.12345678901234567890\n${B},B,1e21,\n`);
    expect(items.map(({ metadata }) => metadata?.attributes)).toEqual([
      { code: '007', weight: '0.12345678901234567890' },
      { code: '1e21' },
    ]);
    expect(said(`to,name,code:number\n${A},A,007\n${B},B,1e21\n${C},C,"0,5"`)).toHaveLength(3);
  });
});

describe('a file', () => {
  const rows = `to,name\n${A},`;

  test.each([
    ['UTF-8', bytes(rows, 'Café')],
    ['UTF-8 with a mark', bytes([0xef, 0xbb, 0xbf], rows, 'Café')],
    ['UTF-16, little end first', bytes([0xff, 0xfe], wide(`${rows}Café`, true))],
    ['UTF-16, big end first', bytes([0xfe, 0xff], wide(`${rows}Café`, false))],
  ])('of %s is read', (_, file) => {
    expect(textOf(file)).toBe(`${rows}Café`);
  });

  test('of another encoding is no text before somebody says which one', () => {
    const file = bytes(rows, 'Caf', [0xe9], ' ', [0x80], '5');
    expect(decodeFile(file)).toEqual({ isOther: true });
    expect(decodeAs(file, 'windows-1252')).toBe(`${rows}Café €5`);
    expect(decodeAs(file, 'windows-1251')).toBe(`${rows}Cafй Ђ5`);
    expect(sampleOf(decodeAs(file, 'windows-1252')!)).toEqual([`${A},Café €5`]);
    // These bytes are no letters there.
    expect(decodeAs(file, 'shift_jis')).toBeNull();
    expect(decodeAs(bytes([0x81, 0x8d]), 'windows-1252')).toBeNull();
  });

  test('is offered in encodings that every browser knows', () => {
    for (const { value } of ENCODINGS) expect(decodeAs(utf8('to'), value)).toBe('to');
  });

  test.each([
    ['nothing', bytes(), /is empty/],
    ['blanks alone', bytes([0xef, 0xbb, 0xbf], ' \r\n'), /is empty/],
    ['a workbook', bytes([0x50, 0x4b, 0x03, 0x04, 20, 0, 6, 0]), /workbook or an archive.*CSV UTF-8/],
    ['an old workbook', bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /old workbook/],
    ['a PDF', bytes('%PDF-1.7'), /is a PDF/],
    ['a packed list', bytes([0x1f, 0x8b, 8, 0]), /packed/],
    ['a picture', bytes([0x89], 'PNG\r\n', [0x1a, 10, 0, 0, 0, 13]), /is no text/],
    ['bytes with zeros that are UTF-8', bytes('to', [0], 'name'), /is no text/],
    ['half a letter of UTF-16', bytes([0xff, 0xfe, 0x74, 0x00, 0x6f]), /is no text/],
    ['a page that a portal calls .xls', bytes('<html><table><tr><td>to</td></tr></table>'), /page or a feed/],
    ['JSON', bytes('[{"to":"0x"}]'), /is JSON/],
  ])('with %s is refused in words', (_, file, expected) => {
    expect(decodeFile(file)).toEqual({ refusal: expect.stringMatching(expected) });
  });
});
