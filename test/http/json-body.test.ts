import { expect, test } from '@jest/globals';
import { parseJson } from '../../src/http/json-body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const inexactIn = (number: string) => parse(`{"a":{"n":${number}}}`).inexact;

test.each([
  ...['0', '-0', '0.0', '0e9', '7', '-7', '0.1', '100', '1.50', '1e3', '1E+3', '1.5e-7', '0.000001'],
  ...['9007199254740991', '-9007199254740992', '123456789.123456', '0.30000000000000004', '5e-324'],
  ...['1e15', '1.7976931348623157e-300', '3.141592653589793', '12345678901234.5'],
  ...['1e16', '1E21', '1e23', '-1e308', '1.2345678901234567e30'],
])('%s is kept as it is', (number) => {
  expect(inexactIn(number)).toBeNull();
});

test.each([
  ...['9007199254740993', '-9007199254740993', '9007199254740994', '100000000000000000000'],
  ...['1e400', '9007199254740993e0', '1.23456789012345678e30'],
  ...['0.1234567890123456789', '3.14159265358979312', '9007199254740991.5', '1e-400', '4.9e-324'],
  ...['0.1'.padEnd(100, '0'), '1'.repeat(5_000), `1e${'9'.repeat(100)}`],
])('%.40s is not', (number) => {
  expect(inexactIn(number)).toBe('n');
});

test('the first number that is not kept is named, and text is no number', () => {
  expect(parse('{"text":"9007199254740993","first":[1,1e400],"second":1e400}').inexact).toBe('1');
  expect(parse('[]').inexact).toBeNull();
});

test('no body at all is an empty object', () => {
  expect(parse('')).toEqual({ value: {}, inexact: null });
});

test('null is a body, which an operation may take for none', () => {
  expect(parse('null')).toEqual({ value: null, inexact: null });
});

test.each([
  ['{"to":"a","to":"b"}', 'to'],
  ['{"a":1,"b":{"c":[{"d":1,"e":{},"d":2}]}}', 'd'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a":{"b":1},"a" : {"b":1}}', 'a'],
  ['[{"x":1},{"x":1,"y":[],"x":1}]', 'x'],
])('%s has a key twice', (text, key) => {
  expect(() => parse(text)).toThrow(`The body has the key ${key} twice in one object.`);
});

test.each([
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"to":1},{"to":1}]',
  '{"a":"x\\":","b":"\\"a\\":1","c":"{\\"a\\":1,\\"a\\":2}"}',
  '{"a":["a","a"],"A":1}',
  '{"__proto__":1,"constructor":2}',
])('%s has no key twice', (text) => {
  expect(parse(text).value).toEqual(JSON.parse(text));
});

test.each(['1', '"text"', '{', '{"a":01}', '{"a":NaN}', '{} //', 'nul', '{}{}'])('%s is no body', (text) => {
  expect(() => parse(text)).toThrow('The body is not valid JSON.');
});

test('bytes that are not UTF-8 are refused, and a byte order mark is skipped', () => {
  expect(() => parseJson(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toThrow(
    'The body must be JSON in UTF-8.',
  );
  expect(parse('\ufeff{"a":1}').value).toEqual({ a: 1 });
});

test('keys and items are counted before parsing, whatever stands in text', () => {
  const list = (items: number) => `[${Array.from({ length: items }, () => 0).join()}]`;
  expect(parse(list(4_000)).value).toHaveLength(4_000);
  const tooMany = 'The body has too many keys and items: at most 4000.';
  expect(() => parse(list(4_001))).toThrow(tooMany);
  expect(() => parse(`{${Array.from({ length: 4_001 }, (_, n) => `"k${n}":1`).join()}}`)).toThrow(tooMany);
  // Counted, not parsed: this is no JSON.
  expect(() => parse('{,'.repeat(10))).toThrow('The body is not valid JSON.');
  expect(() => parse(','.repeat(5_000))).toThrow(tooMany);
  expect(parse(JSON.stringify({ a: '[{,'.repeat(5_000), b: '\\"[[[['.repeat(900) })).inexact).toBeNull();
});

test('levels are counted before parsing', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(parse(nested(16)).value).toEqual([expect.anything()]);
  expect(() => parse(nested(17))).toThrow('The body is nested too deeply: at most 16 levels.');
  expect(() => parse('{"a":'.repeat(17))).toThrow('nested too deeply');
  expect(parse(`[${Array.from({ length: 1_000 }, () => '[]').join()}]`).value).toHaveLength(1_000);
});
