import { Box, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A card with a heading. */
export function Section({
  title,
  description,
  children,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-label={title}>
      <Box mb="md">
        <Title order={2} fz={17}>
          {title}
        </Title>
        {description && (
          <Text size="sm" c="dimmed" mt={4}>
            {description}
          </Text>
        )}
      </Box>
      {children}
    </Paper>
  );
}
