import { describe, expect, test } from '@jest/globals';
import { formatAmount, parseAmount } from '../../packages/console/src/parts/amount-text.ts';
import { readBound, readRoyalty } from '../../packages/console/src/parts/bounds/bounds-draft.ts';
import { readAttribute } from '../../packages/console/src/parts/metadata/attribute-value.ts';

const RECEIVER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

describe('an amount that is typed', () => {
  test.each([
    ['1000.5', 2, '100050'],
    ['0.5', 18, '500000000000000000'],
    ['007', 0, '7'],
    ['1', 0, '1'],
  ])('%s with %i decimals is %s raw units', (typed, decimals, raw) => {
    expect(parseAmount(typed, decimals)).toBe(raw);
  });

  test.each([
    '1000,50',
    '1,5',
    '0,5',
    '1,000',
    '1,234.5',
    '1.234,5',
    '1 000',
    '1\u00A0000',
    "1'000",
    '1_000',
    '1.',
    '.5',
    '+1',
    '-1',
    '1e3',
    '0x10',
    '١٢',
    '',
  ])('%j is refused, and no character of it is dropped', (typed) => {
    expect(parseAmount(typed, 2)).toBeNull();
    expect(readBound(typed, 2, 1n).fault).toBeDefined();
    const { faults } = readRoyalty({ receiver: RECEIVER, percent: typed });
    expect(faults['royalty.basisPoints']).toBeDefined();
  });

  test('a comma is answered with how to write the number', () => {
    expect(readBound('1000,50', 2, 1n).fault).toBe(
      'Digits alone are read, with a point before decimals and no comma: 1000.5',
    );
    expect(readBound('1,5', 0, 1n).fault).toBe('Digits alone are read, without a comma or a point: 1000');
    expect(readRoyalty({ receiver: RECEIVER, percent: '0,5' }).faults['royalty.basisPoints']).toBe(
      'A percentage from 0 to 10 is needed, with a point before decimals: 2.5',
    );
  });

  test('what is shown of an amount is what was typed, with its digits in groups', () => {
    for (const typed of ['1', '1000.5', '123456789.000001'])
      expect(formatAmount(parseAmount(typed, 6)!, 6).replaceAll(',', '')).toBe(typed);
  });
});

describe('an attribute of the kind number', () => {
  test.each(['0', '7', '-7', '0.5', '-0.25', '9007199254740991', '1e+21', '1e-7'])(
    '%s is exactly a number',
    (typed) => expect(String(readAttribute('number', typed))).toBe(typed),
  );

  test.each([
    '0.12345678901234567890',
    '007',
    '1e21',
    '9007199254740993',
    '9007199254740992',
    '1.50',
    '1,5',
    '+7',
    '-0',
    '.5',
    '0x10',
    'Infinity',
    'NaN',
    '',
  ])('%j would be another one, or none, and is refused', (typed) => {
    expect(readAttribute('number', typed)).toBeNull();
  });

  test.each(['007', '0.12345678901234567890', '1e21', ' 7 '])('%j stays as it is as text', (typed) => {
    expect(readAttribute('text', typed)).toBe(typed);
  });
});
