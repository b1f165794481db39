import { Text } from '@mantine/core';
import { query } from '../../api/query.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { groupDigits } from '../../parts/amount-text.ts';

/** What so many mints cost, and what is left. */
export function MintPrice({ count }: { count: number }) {
  const isSandbox = useStore(sandbox) !== null;
  const { data } = query.useQuery('get', '/v1/billing/credits', {}, { enabled: !isSandbox });
  if (isSandbox) return <Quiet text="Free in the sandbox." />;
  if (!data) return null;
  const price = count * data.prices.mint;
  const shown = (credits: number): string => groupDigits(String(credits));
  return (
    <Quiet
      text={`Costs ${shown(price)} ${price === 1 ? 'credit' : 'credits'} of the ${shown(data.creditsRemaining)} that are left.`}
      isShort={price > data.creditsRemaining}
    />
  );
}

function Quiet({ text, isShort = false }: { text: string; isShort?: boolean }) {
  return (
    <Text size="xs" c={isShort ? 'var(--mantine-color-error)' : 'dimmed'}>
      {text}
    </Text>
  );
}
