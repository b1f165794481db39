import { Box, Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** In place of an empty list: what would stand here, what it is good for, and how to make the first one. */
export function EmptyState({
  icon,
  title,
  children,
  actions,
}: {
  /** Of Octicons, 24 pixels. */
  icon: ReactNode;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <Paper withBorder p={{ base: 'lg', sm: 40 }} ta="center">
      <Box c="brand" aria-hidden mb="sm">
        {icon}
      </Box>
      <Title order={2} fz={18}>
        {title}
      </Title>
      <Text c="dimmed" maw="34rem" mx="auto" mt="xs" component="div">
        {children}
      </Text>
      {actions && (
        <Group justify="center" mt="lg" gap="sm">
          {actions}
        </Group>
      )}
    </Paper>
  );
}
