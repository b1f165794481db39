import { describe, expect, test } from '@jest/globals';
import { MAX_ROWS, readList } from '../../packages/console/src/pages/collections/batch/read-list.ts';
import { keyOf, nameList, splitList } from '../../packages/console/src/pages/collections/batch/split-list.ts';

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
        { to: BOB.toLowerCase() },
      ],
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
    expect(readList(text)).toEqual({ items, bad: [] });
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
      `3 edition:number: must be a number, up to ${Number.MAX_SAFE_INTEGER}`,
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
    ['no column of recipients', 'name\nA', ['1 to: is missing: the column with the recipients']],
    ['a column twice', `to,mood,mood:number\n${ALICE},a,1`, ['1 mood:number: is there twice']],
    ['a column without a name', `to,,name\n${ALICE},,A`, ['1 column 2: has no name']],
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

  test('is split into requests of 100, and of less where metadata are large', () => {
    const plain = Array.from({ length: 205 }, () => ({ to: ALICE }));
    expect(splitList(plain).map(({ first, items }) => [first, items.length])).toEqual([
      [1, 100],
      [101, 100],
      [201, 5],
    ]);
    const large = { to: ALICE, metadata: { name: 'A', description: 'd'.repeat(2_000) } };
    const parts = splitList(Array.from({ length: 40 }, () => large));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.reduce((sum, { items }) => sum + items.length, 0)).toBe(40);
  });

  test('has keys of its content, its collection, its part and its attempt', () => {
    const name = nameList(BOB, lines('to', ALICE));
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(nameList(BOB.toLowerCase(), `to\r\n${ALICE}\r\n`)).toBe(name);
    expect(nameList(ALICE, lines('to', ALICE))).not.toBe(name);
    expect(nameList(BOB, lines('to', ALICE, ALICE))).not.toBe(name);
    expect(keyOf(name, 0, 0)).toBe(`list-${name}-1-1`);
    expect(keyOf(name, 1, 2)).toBe(`list-${name}-2-3`);
  });
});
