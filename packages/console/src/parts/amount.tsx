import { Tooltip } from '@mantine/core';

const GROUPS = /\B(?=(\d{3})+(?!\d))/g;

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
 * Reads what somebody typed as an amount with decimals into raw units.
 * @returns null when it is no number, or has more decimals than the token
 */
export function parseAmount(typed: string, decimals: number): string | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(typed.replaceAll(/[, ]/g, ''));
  const [, whole = '', fraction = ''] = match ?? [];
  if (!match || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0')).toString();
}

/** An amount with decimals; pointing at it or focusing it tells the raw units, as the API has them. */
export function Amount({ raw, decimals, symbol }: { raw: string; decimals: number; symbol?: string }) {
  return (
    <Tooltip label={`${groupDigits(raw)} raw units (${decimals} decimals)`}>
      <span tabIndex={0}>
        {formatAmount(raw, decimals)}
        {symbol === undefined ? '' : ` ${symbol}`}
      </span>
    </Tooltip>
  );
}
