/** No double needs more characters. A number with more is not looked at: that could take long. */
const MAX_NUMBER_LENGTH = 64;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
const HAS_EXPONENT = /e/i;

/** The digits of a decimal number, without zeros at either end, and the power of ten of the last one. */
function decimalOf(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/**
 * Whether a number of JSON is kept with all its digits. An integer beyond 2^53 is not, for its neighbours are the same
 * number; with an exponent, as in 1e21, a number says itself how many of its digits count.
 * @param text the number as it was written
 * @param value the double that it was read as
 */
export function isExact(text: string, value: number): boolean {
  if (text.length > MAX_NUMBER_LENGTH) return false;
  if (Math.abs(value) > 2 ** 53 && !HAS_EXPONENT.test(text)) return false;
  return decimalOf(text) === decimalOf(String(value));
}

/** Reads JSON; a number that a double cannot hold stays text, as it was written. @throws SyntaxError */
export function parseExactly(json: string): unknown {
  return JSON.parse(json, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? '';
    return typeof value === 'number' && !isExact(source, value) ? source : value;
  });
}
