import { Box, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export type FactRow = readonly [label: string, value: ReactNode];

/** Names and values, one below the other: for a narrow card. A wide one has `Facts`. */
export function FactRows({ rows }: { rows: readonly FactRow[] }) {
  return (
    <Box component="dl" m={0}>
      {rows.map(([label, value]) => (
        <Group key={label} justify="space-between" gap="md" wrap="nowrap" align="baseline" py={4}>
          <Text size="sm" c="dimmed" component="dt" style={{ flexShrink: 0 }}>
            {label}
          </Text>
          <Text size="sm" component="dd" m={0} ta="end" miw={0} className="break">
            {typeof value === 'string' ? <bdi>{value}</bdi> : value}
          </Text>
        </Group>
      ))}
    </Box>
  );
}
