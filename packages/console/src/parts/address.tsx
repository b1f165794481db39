import { Anchor, Group, Text } from '@mantine/core';
import { EXPLORER_URL } from '../api/addresses.ts';
import { CopyButton } from './copy-button.tsx';

const SHORT = /^(0x[0-9a-fA-F]{6})[0-9a-fA-F]+([0-9a-fA-F]{4})$/;

export function shorten(hex: string): string {
  return hex.replace(SHORT, '$1…$2');
}

/**
 * An address or the hash of a transaction: short, to copy whole, and with a link to its page in the explorer.
 * @param href of another explorer, such as `explorerUrl` of the API; null in the sandbox, where there is none
 */
export function Address({
  value,
  kind = 'address',
  href = `${EXPLORER_URL}/${kind === 'address' ? 'address' : 'tx'}/${value}`,
  isWhole = false,
}: {
  value: string;
  kind?: 'address' | 'transaction';
  href?: string | null;
  isWhole?: boolean;
}) {
  const shown = (
    <bdi className={`mono ${isWhole ? 'break' : 'one-line'}`} title={value}>
      {isWhole ? value : shorten(value)}
    </bdi>
  );
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex" component="span">
      {href === null ? (
        <Text span inherit>
          {shown}
        </Text>
      ) : (
        <Anchor href={href} inherit underline="hover">
          {shown}
        </Anchor>
      )}
      <CopyButton text={value} label={kind} />
    </Group>
  );
}
