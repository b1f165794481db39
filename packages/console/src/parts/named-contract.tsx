import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'wouter';

/** Name and symbol of a contract in a list, with a link to its page. */
export function NamedContract({ href, name, symbol }: { href: string; name: string; symbol: string }) {
  return (
    <Group gap={8} component="span" display="inline-flex">
      <Anchor component={Link} href={href} inherit fw={500} className="break">
        <bdi>{name}</bdi>
      </Anchor>
      <Text span inherit c="dimmed" className="break">
        <bdi>{symbol}</bdi>
      </Text>
    </Group>
  );
}
