import { describe, expect, test } from '@jest/globals';
import { MAX_ROWS, readList } from '../../packages/console/src/pages/collections/batch/read-list.ts';

const ALICE = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
const BOB = '0xAcFB09713f4F9cc14aA498cBf844b94A27DA64FF';

const lines = (...rows: string[]): string => rows.join('\n');
const problemsIn = (text: string): string[] =>
  readList(text).bad.map(({ row, column, message }) => `${row} ${column}: ${message}`);

describe('a list of NFTs to mint', () => {
  test('is read with metadata, whose columns say their kinds', () => {
    const text = lines(
      '\uFEFFTo,name,description,image,mood,edition:number,framed:boolean',
      `${ALICE},Blue Hour,"Dusk, at ""the"" harbour",,calm,7,TRUE`,
      '',
      `${BOB.toLowerCase()},,,,,,`,
    );
    expect(readList(text)).toEqual({
      items: [
        {
          to: ALICE,
          metadata: {
            name: 'Blue Hour',
            description: 'Dusk, at "the" harbour',
            attributes: { mood: 'calm', edition: 7, framed: true },
          },
        },
        { to: BOB },
      ],
      rows: [2, 4],
      bad: [],
    });
  });

  test.each([
    [
      'semicolons',
      `to;name\r\n${ALICE};A, B\r\n`,
      [{ to: ALICE, metadata: { name: 'A, B', description: '' } }],
    ],
    ['tabs', `to\tname\n${ALICE}\tA`, [{ to: ALICE, metadata: { name: 'A', description: '' } }]],
    [
      'a line within a cell',
      `to,name\n${ALICE},"A\nB"\n${BOB},C`,
      [
        { to: ALICE, metadata: { name: 'A\nB', description: '' } },
        { to: BOB, metadata: { name: 'C', description: '' } },
      ],
    ],
    ['addresses alone', lines(ALICE, BOB), [{ to: ALICE }, { to: BOB }]],
  ])('may have %s', (_, text, items) => {
    expect(readList(text)).toMatchObject({ items, bad: [] });
  });

  test('names every cell that is wrong, by its row', () => {
    const text = lines(
      'to,name,image,edition:number,framed:boolean',
      `0x12,A,,,`,
      `${ALICE},A,ftp://x,seven,maybe`,
      `${ALICE.replace('B8A', 'b8A')},A,,,`,
      `${ALICE},,,1,`,
      `0x${'0'.repeat(40)},${'n'.repeat(257)},,,`,
      `,A,,,`,
      `${ALICE},A,,1,true,more`,
    );
    expect(problemsIn(text)).toEqual([
      '2 to: must be an address: 0x and 40 hexadecimal digits',
      '3 edition:number: is not exactly a number as it is written: write it like 1.5 or 7, or keep it as text',
      '3 framed:boolean: must be true or false',
      '3 image: must be an ipfs, http or https URI',
      '4 to: has a wrong checksum (EIP-55): a letter of it is mistyped',
      '5 name: is required',
      '6 to: is the zero address, which nobody owns',
      '6 name: has 257 bytes; at most 256 fit',
      '7 to: is missing',
      '8 : has more cells than the heading',
    ]);
    expect(readList(text).items).toEqual([]);
  });

  test.each([
    ['no column of recipients', 'name\nA', ['1 to: is missing: call the column with the recipients “to”']],
    ['a column twice', `to,name,mood,mood:number\n${ALICE},A,a,1`, ['1 mood:number: is there twice']],
    [
      'a column without a name',
      `to,,name\n${ALICE},x,A`,
      ['1 column 2: has no name, and cells below it have something in them'],
    ],
    [
      'attributes without a column of names',
      `to,mood\n${ALICE},calm\n${BOB},calm`,
      [
        '1 mood: would be written to the chain, and an NFT with metadata needs a column “name”: add it, or take this one out',
      ],
    ],
    [
      'a letter that was lost before',
      `to,name\n${ALICE},Caf\uFFFD`,
      ['2 name: has lost a letter: it was read in a wrong encoding before. Save it as UTF-8 again'],
    ],
    [
      'two columns that may be the recipients',
      `wallet,address,name\n${ALICE},${BOB},A`,
      ['1 to: is missing, and “wallet” and “address” may each be it: call one of them “to”'],
    ],
    ['a quote that never ends', `to,name\n${ALICE},"A`, ['2 : Quoted field unterminated']],
    [
      'a reserved name',
      `to,name,text:text,image:text\n${ALICE},A,b,c`,
      ['2 image: is a reserved name; use the field of that name'],
    ],
    [
      'too many attributes',
      lines(
        `to,name,${Array.from({ length: 14 }, (_, at) => `k${at}`).join()}`,
        `${ALICE},A${',v'.repeat(14)}`,
      ),
      ['2 attributes: has 14 keys; at most 13 fit'],
    ],
  ])('is refused for %s', (_, text, expected) => {
    expect(problemsIn(text)).toEqual(expected);
  });

  test('has an end', () => {
    const rows = Array.from({ length: MAX_ROWS + 1 }, () => ALICE);
    expect(problemsIn(lines(...rows))).toEqual([
      `${MAX_ROWS + 1} : has ${MAX_ROWS + 1} rows; at most ${MAX_ROWS} are minted from one list`,
    ]);
    expect(readList(lines(...rows.slice(1))).items).toHaveLength(MAX_ROWS);
  });
});
