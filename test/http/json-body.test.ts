import { expect, test } from '@jest/globals';
import { parseJson } from '../../src/http/json-body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

test('no body at all is an empty object', () => {
  expect(parse('')).toEqual({});
});

test.each(['null', '1', '"text"', '{', '{"a":01}', '{"a":NaN}', '{} //', 'nul', '{}{}'])(
  '%s is no body',
  (text) => {
    expect(() => parse(text)).toThrow('The body is not valid JSON.');
  },
);

test('bytes that are not UTF-8 are refused, and a byte order mark is skipped', () => {
  expect(() => parseJson(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
    'The body must be JSON in UTF-8.',
  );
  expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
});

test('keys and items are counted before parsing, whatever stands in text', () => {
  const list = (items: number) => `[${Array.from({ length: items }, () => 0).join()}]`;
  expect(parse(list(4_000))).toHaveLength(4_000);
  const tooMany = 'The body has too many keys and items: at most 4000.';
  expect(() => parse(list(4_001))).toThrow(tooMany);
  expect(() => parse(`{${Array.from({ length: 4_001 }, (_, n) => `"k${n}":1`).join()}}`)).toThrow(tooMany);
  // Counted, not parsed: this is no JSON.
  expect(() => parse('{,'.repeat(10))).toThrow('The body is not valid JSON.');
  expect(() => parse(','.repeat(5_000))).toThrow(tooMany);
  expect(parse(JSON.stringify({ a: '[{,'.repeat(5_000), b: '\\"[[[['.repeat(900) }))).toHaveProperty('b');
});

test('levels are counted before parsing', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(parse(nested(16))).toEqual([expect.anything()]);
  expect(() => parse(nested(17))).toThrow('The body is nested too deeply: at most 16 levels.');
  expect(() => parse('{"a":'.repeat(17))).toThrow('nested too deeply');
  expect(parse(`[${Array.from({ length: 1_000 }, () => '[]').join()}]`)).toHaveLength(1_000);
});
