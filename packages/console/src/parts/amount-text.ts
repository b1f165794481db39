const GROUPS = /\B(?=(\d{3})+(?!\d))/g;
const TYPED = /^(\d+)(?:\.(\d+))?$/;

/** Digits in groups of three, without a loss: amounts are larger than a double. */
export function groupDigits(digits: string): string {
  return digits.replace(GROUPS, ',');
}

/** @param raw decimal digits of the smallest unit. @returns like `1,234.5` */
export function formatAmount(raw: string, decimals: number): string {
  const digits = raw.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return groupDigits(whole) + (fraction === '' ? '' : `.${fraction}`);
}

/**
 * Reads what somebody typed as an amount with decimals into raw units. Digits and one point alone: a comma is the point
 * of one half of the world and groups the digits of the other, so that it is never passed over.
 * @returns null when it is no such number, or has more decimals than the token
 */
export function parseAmount(typed: string, decimals: number): string | null {
  const [, whole, fraction = ''] = TYPED.exec(typed) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0')).toString();
}
