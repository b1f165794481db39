import { Tooltip } from '@mantine/core';
import { formatAmount, groupDigits } from './amount-text.ts';

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
