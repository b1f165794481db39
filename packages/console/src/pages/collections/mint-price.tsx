import { Text } from '@mantine/core';
import { query } from '../../api/query.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { groupDigits } from '../../parts/amount-text.ts';

/**
 * What so many mints cost. @returns `isShort` when that is not known, or more than what is left: the service would stop
 * in the middle
 */
export function useMintPrice(count: number): { text: string; isShort: boolean } {
  const isSandbox = useStore(sandbox) !== null;
  const { data } = query.useQuery('get', '/v1/billing/credits', {}, { enabled: !isSandbox });
  if (isSandbox) return { text: 'Free in the sandbox.', isShort: false };
  if (!data) return { text: '', isShort: true };
  const price = count * data.prices.mint;
  const shown = (credits: number): string => groupDigits(String(credits));
  const isShort = price > data.creditsRemaining;
  const advice = isShort ? ' Take rows out of the list, or ask the operator for a larger plan.' : '';
  return {
    text: `Costs ${shown(price)} ${price === 1 ? 'credit' : 'credits'} of the ${shown(data.creditsRemaining)} that are left.${count > 1 ? advice : ''}`,
    isShort,
  };
}

export function MintPrice({ count }: { count: number }) {
  const { text, isShort } = useMintPrice(count);
  return (
    <Text size="xs" c={isShort ? 'var(--mantine-color-error)' : 'dimmed'}>
      {text}
    </Text>
  );
}
