import { Box, Group, Stack, Text, ThemeIcon } from '@mantine/core';
import { LockIcon, PencilIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { FactRows } from '../fact-rows.tsx';
import type { FactRow } from '../fact-rows.tsx';

/** What a deployment settles for ever, and what it leaves open. */
export interface Settled {
  never: readonly FactRow[];
  later: readonly FactRow[];
}

/** Before a deployment: what nobody can change afterwards, and what the owner can. */
export function WhatStays({ never, later }: Settled) {
  return (
    <Stack gap="lg">
      <Part icon={<LockIcon />} colour="orange" title="Never changes" rows={never} />
      <Part icon={<PencilIcon />} colour="brand" title="Can change later" rows={later} />
    </Stack>
  );
}

function Part({
  icon,
  colour,
  title,
  rows,
}: {
  icon: ReactNode;
  colour: string;
  title: string;
  rows: readonly FactRow[];
}) {
  return (
    <Box component="section" aria-label={title}>
      <Group gap="xs" mb={6}>
        <ThemeIcon size={26} variant="light" color={colour} radius="xl" aria-hidden>
          {icon}
        </ThemeIcon>
        <Text size="sm" fw={600} component="h2">
          {title}
        </Text>
      </Group>
      <FactRows rows={rows} />
    </Box>
  );
}
